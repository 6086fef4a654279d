package main

import (
	"bytes"
	"compress/gzip"
	"context"

	"github.com/okhttp-go/ok/mockserver"
)

// answer is the server of the demo.
func answer(_ context.Context, r *mockserver.Request) mockserver.Response {
	switch r.Target {
	case "/hello":
		return mockserver.Reply(200).Text("hello")
	case "/echo":
		return mockserver.Reply(200).Body(r.Body)
	case "/moved":
		return mockserver.Reply(302).Header("Location", "/packed")
	case "/packed":
		return mockserver.Reply(200).Header("Content-Encoding", "gzip").Body(packed("packed and unpacked"))
	case "/hang-up":
		if r.Index > 0 { // not the first of its connection
			return mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseSocket{})
		}
		return mockserver.Reply(200).Text("at the second try")
	case "/silence":
		return mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Stall{})
	}
	return mockserver.Reply(404).Text("no such page")
}

func packed(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.Bytes()
}
