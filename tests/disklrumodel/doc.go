// Package disklrumodel drives a store of okhttp-cache/disklru on a fake file system and compares it, and the files in its directory, with a model in memory: with
// several editors and snapshots open, eviction, reopening, and processes that die. Scripts are drawn, and cut down to the shortest that fails, by rapid.
package disklrumodel
