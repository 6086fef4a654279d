// Package okhttp is an HTTP client that recovers from bad networks, shares connections and reports every event of a call.
package okhttp
