// Package examples holds the code that the documentation site shows; it compiles and is tested.
package examples
