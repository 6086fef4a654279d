//go:build race

package leaks

const underRace = true
