//go:build race

package soak

// mostCallers is how many call at a time. The race detector ends a program that has more than 8,128 goroutines, and a call has up to five: its own, its
// server's, and those that resolve and connect.
const mostCallers = 1000
