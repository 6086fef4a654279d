// Package cli is the command okcurl as a function, so that tests can run it in their own process. The manual is that of the command,
// package okcurl.
package cli
