// Package cli is the command okcurl as a function, so that tests can run it in their own process. The manual is that of the command,
// package okcurl.
//
// # Concurrency
//
// [Main] may run several times at the same time in one process; SIGINT cancels what any of them fetches.
package cli
