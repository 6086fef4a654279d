package route_test

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

func TestUnmatchedKeepsLittleOfBodies(t *testing.T) {
	routes := route.New(route.Route{Match: match.Path("/a"), Responses: []mockserver.Response{mockserver.Reply(200)}})
	r := &mockserver.Request{Method: "POST", Target: "/b", Proto: "HTTP/1.1", Body: make([]byte, 1<<20), BodySize: 1 << 20, ChunkSizes: make([]int64, 1000)}
	routes.Dispatch(t.Context(), r)
	kept := routes.Unmatched()[0].Request
	if cap(kept.Body) > 8<<10 || kept.BodySize != 1<<20 || len(kept.ChunkSizes) != 100 || len(r.Body) != 1<<20 {
		t.Errorf("%d of %d bytes are kept, %d chunks", cap(kept.Body), kept.BodySize, len(kept.ChunkSizes))
	}
}
