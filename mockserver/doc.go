// Package mockserver is a scriptable HTTP server for tests.
package mockserver
