// Package sse measures oksse against a table of event streams, each decoded whole and byte by byte, and against expectations of what a client does
// with a server's answers: media types, status codes, redirects, headers and reconnection.
//
// The data in testdata is copied unchanged; LICENSES.md says where it comes from.
package sse
