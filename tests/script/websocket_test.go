package script

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/okhttp-go/ok/okhttp-ws"
	"github.com/rogpeppe/go-internal/testscript"
)

// wsserve NAME starts a server for web sockets, whose ws URL goes into the variable: /echo sends back what comes in upper case, /bye says something and closes with
// 4001, /deaf never answers a close frame, and everything else is 404.
func wsserve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wsserve NAME")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/echo" && r.URL.Path != "/bye" && r.URL.Path != "/deaf" {
			http.NotFound(w, r)
			return
		}
		c, err := okws.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		switch ctx := context.Background(); r.URL.Path {
		case "/bye":
			_ = c.WriteText(ctx, "so long")
			_ = c.Close(4001, "no more")
		case "/deaf":
			<-r.Context().Done()
		default:
			_ = c.WriteText(ctx, "extensions: "+c.Extensions())
			for m, err := range c.Messages(ctx) {
				if err != nil || c.WriteText(ctx, strings.ToUpper(m.Text())) != nil {
					return
				}
			}
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], "ws"+strings.TrimPrefix(s.URL, "http"))
}
