// Package http1 is the HTTP/1.1 codec (RFC 9112) of one connection, in the client and in the server role.
package http1
