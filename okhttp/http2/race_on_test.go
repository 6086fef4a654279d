//go:build race

package http2

// underRace reports whether the race detector is on, under which what is sequential takes ten times as long.
const underRace = true
