// Package faults has the client meet each fault that package mockserver can make, at each moment of an exchange, over both versions of HTTP, and looks at
// what its caller sees, which events fire, and whether the connection is used again.
package faults
