// Package okiomodel drives buffers of okio through their public methods and compares them with plain byte slices: one after the other, and in several
// goroutines at once that hand one another clones. Scripts are drawn, and cut down to the shortest that fails, by rapid.
//
// Run it with the race detector too: okio then overwrites the segments that it releases, so that one which is released too early shows.
package okiomodel
