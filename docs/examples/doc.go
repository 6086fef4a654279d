// Package examples holds the code that the documentation site shows. Every piece is a test or a program: what a page prints has run.
package examples
