//go:build race

package okws

// underRace has tests of sizes take smaller ones: the race detector makes each byte dear and finds nothing in them that it does not find in fewer.
const underRace = true
