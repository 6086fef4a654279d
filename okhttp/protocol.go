package okhttp

// Protocol is the version of HTTP that a response came over, named as in ALPN where it has a name there.
type Protocol string

// The protocols of responses.
const (
	HTTP10 Protocol = "http/1.0"
	HTTP11 Protocol = "http/1.1"
)

// Version is the version of this module, part of the default User-Agent.
const Version = "0.1.0"
