package stub_test

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// TestSeed: what templates draw, and delays beside them, follows the seed of the server, over both versions.
func TestSeed(t *testing.T) {
	for name, version := range map[string]mockserver.Option{"HTTP/1.1": nil, "HTTP/2": mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)} {
		var got [3]string
		for i, seed := range []uint64{1, 1, 2} {
			stubs, err := stub.Parse("seed.json", []byte(`{"response": {"template": true, "body": "{{uuid}} {{random 1 1000000}} {{uuid}}\n", "delay": {"from": "0s", "to": "1ns"}}}`))
			if err != nil {
				t.Fatal(err)
			}
			list, err := stub.Routes(nil, stubs...)
			if err != nil {
				t.Fatal(err)
			}
			s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithSeed(seed), version, mockserver.WithDispatcher(route.New(list...)))
			client := s.Client()
			for range 5 {
				resp, err := client.Get(t.Context(), s.URL("/"))
				if err != nil {
					t.Fatal(err)
				}
				text, err := resp.Body.Text()
				if err != nil {
					t.Fatal(err)
				}
				got[i] += text
			}
			client.Close()
		}
		if got[0] != got[1] || got[0] == got[2] || got[0][:100] == got[0][100:200] {
			t.Errorf("%s: one seed\n%s\n%s\nanother\n%s", name, got[0], got[1], got[2])
		}
	}
}
