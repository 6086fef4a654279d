package script

import (
	"context"
	"crypto/md5"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/okhttp-go/ok/okhttp-ws"
)

// wsserve NAME starts a server for web sockets, whose ws URL goes into the variable: /echo sends back what comes in upper case, /bye says something and closes with
// 4001, /deaf never answers a close frame, /guarded is /echo for Aladdin, who shows by Digest that he knows "open sesame", /moved leads there, and everything else is 404.
func wsserve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wsserve NAME")
	}
	s := httptest.NewServer(http.HandlerFunc(serveSockets))
	ts.Defer(s.Close)
	ts.Setenv(args[0], "ws"+strings.TrimPrefix(s.URL, "http"))
}

func serveSockets(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/moved":
		http.Redirect(w, r, "/guarded", http.StatusFound)
		return
	case "/guarded":
		if !knowsPassword(r) {
			w.Header().Set("WWW-Authenticate", `Digest realm="cave", nonce="n0", qop="auth", algorithm=MD5`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	case "/echo", "/bye", "/deaf":
	default:
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
}

var digestField = regexp.MustCompile(`(\w+)="?([^",]*)`)

// knowsPassword reports whether a request proves by Digest (RFC 7616) that its sender knows the password.
func knowsPassword(r *http.Request) bool {
	fields := map[string]string{}
	for _, m := range digestField.FindAllStringSubmatch(r.Header.Get("Authorization"), -1) {
		fields[m[1]] = m[2]
	}
	hash := func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }
	want := hash(strings.Join([]string{
		hash("Aladdin:cave:open sesame"), fields["nonce"], fields["nc"], fields["cnonce"], fields["qop"], hash("GET:" + r.URL.Path),
	}, ":"))
	return fields["username"] == "Aladdin" && fields["response"] == want
}
