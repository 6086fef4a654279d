// Package okcache (module okhttp-cache) is the room of the on-disk response cache (RFC 9111). It is empty in this release.
package okcache
