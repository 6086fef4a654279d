// Package okws (module okhttp-ws) is the room of the web socket client and server (RFC 6455). It is empty in this release.
package okws
