// Package oksse (module okhttp-sse) is the room of server-sent events (WHATWG HTML, section 9.2). It is empty in this release.
package oksse
