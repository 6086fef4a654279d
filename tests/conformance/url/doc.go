// Package url measures okhttp.URL against the data of the Web Platform Tests for URLs and against OkHttp's own list.
//
// The data in testdata is copied unchanged; LICENSES.md says where it comes from. The engine knows nothing of okhttp: a
// [Subject] stands between. The score of every suite and every case that deviates, with the reason, are in
// testdata/results.txt, which `go test -run TestConformance -update` writes.
package url
