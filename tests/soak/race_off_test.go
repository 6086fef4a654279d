//go:build !race

package soak

// mostCallers is how many call at a time.
const mostCallers = 2000
