//go:build !race

package okhttp

// underRace reports whether the race detector is on, under which what is sequential takes ten times as long.
const underRace = false
