//go:build !unix

package soak

// files is how many file descriptors the process may have.
func files() int { return 1 << 20 }
