package okhar_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
)

// What is usual for secrets is hidden in bodies without being named, and nothing else changes.
func TestRedactedBodies(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, body, want string
		max                           int64
	}{
		{"a member", "application/json", `{"access_token": "s3cret", "n":1}`, `{"access_token": "██", "n":1}`, 0},
		{"spellings", "application/json", `{"accessToken":"s3cret","Client-Secret":"s3cret"}`, `{"accessToken":"██","Client-Secret":"██"}`, 0},
		{"an escaped name", "application/json", `{"pass\u0077ord":"s3cret"}`, `{"pass\u0077ord":"██"}`, 0},
		{"quotes in a value", "application/json", `{"token":"s3\"cret\\","a":"b"}`, `{"token":"██","a":"b"}`, 0},
		{"values of any kind", "application/json", `[{"token":{"a":["}s3cret"]},"sig":12 ,"jwt":null}]`, `[{"token":"██","sig":"██" ,"jwt":"██"}]`, 0},
		{"one that was named", "application/json", `{"own-name":"s3cret"}`, `{"own-name":"██"}`, 0},
		{"several documents", "application/x-ndjson", "{\"token\":\"s3cret\"}\n{\"token\":\"s3cret\"}\n", "{\"token\":\"██\"}\n{\"token\":\"██\"}\n", 0},
		{"cut within the value", "application/json", `{"token":"s3cret and more"}`, `{"token":"██"`, 18},
		{"another type", "text/plain", ` {"token":"s3cret"}`, ` {"token":"██"}`, 0},
		{"a prefix", "application/json", ")]}'\n{\"token\":\"s3cret\"}", ")]}'\n{\"token\":\"██\"}", 0},
		{"no UTF-8", "application/json", "{\"token\":\"s3cret\",\"a\":\"\xff\"}", "eyJ0b2tlbiI6IuKWiOKWiCIsImEiOiL/In0=", 0},
		{"a form", "application/x-www-form-urlencoded", "access_token=s3cret&scope=a", "access_token=%E2%96%88%E2%96%88&scope=a", 0},
		{"parts of another type", "a/b; boundary=q", "--q\r\nContent-Disposition: form-data; name=token\r\n\r\ns3cret\r\n--q--",
			"--q\r\nContent-Disposition: form-data; name=token\r\n\r\n██\r\n--q--", 0},
		{"the code of an error", "application/json", `{"code":"no_such_item"}`, `{"code":"no_such_item"}`, 0},
		{"a value that is a name", "application/json", `{"type":"token","a":["password","x"]}`, `{"type":"token","a":["password","x"]}`, 0},
		{"text", "text/plain", `the "token": "abc"`, `the "token": "abc"`, 0},
		{"damaged", "application/json", `{"token"`, `{"token"`, 0},
		{"without a value", "application/json", `{"token":}`, `{"token":}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := recorded(t, &okhar.Config{MaxBody: tt.max, RedactQuery: []string{"ownName"}}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				_, _ = io.WriteString(w, tt.body)
			}, get(t))
			if got := only(t, list).Response.Content.Text; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A form of parts loses the contents of those that are named like secrets, and what others have in JSON.
func TestRedactedParts(t *testing.T) {
	body, err := okmultipart.New(&okmultipart.Config{Type: "multipart/form-data", Boundary: "b"},
		okmultipart.Field("user[password]", "s3cret\r\n\r\n--s3cret"),
		okmultipart.Field("name", "Bob"),
		okmultipart.Bytes("meta", "", "application/json", []byte(`{"api_key":"s3cret"}`)))
	if err != nil {
		t.Fatal(err)
	}
	e := only(t, recorded(t, nil, func(http.ResponseWriter, *http.Request) {}, post(t, body)))
	text := e.Request.PostData.Text
	if strings.Contains(text, "s3cret") {
		t.Errorf("not redacted: %s", text)
	}
	for _, want := range []string{"--b\r\n", "\r\n\r\n██\r\n--b\r\n", "\r\n\r\nBob\r\n--b\r\n", "\r\n\r\n{\"api_key\":\"██\"}\r\n--b--"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// Queries need no names either.
func TestRedactedUsualNames(t *testing.T) {
	e := only(t, recorded(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/cb?code=s3cret&state=1")
		w.WriteHeader(302)
	}, func(c *okhttp.Client, url string) {
		off, err := c.With(okhttp.WithFollowRedirects(false)).Get(t.Context(), url+"/?token=s3cret&q=tea")
		if err != nil {
			t.Fatal(err)
		}
		_ = off.Body.Close()
	}))
	if !strings.HasSuffix(e.Request.URL, "/?token=%E2%96%88%E2%96%88&q=tea") || find(e.Request.QueryString, "token") != "██" {
		t.Errorf("URL %s, query %v", e.Request.URL, e.Request.QueryString)
	}
	if got := find(e.Response.Headers, "Location"); got != "/cb?code=%E2%96%88%E2%96%88&state=1" || e.Response.RedirectURL != got {
		t.Errorf("Location %s, redirectURL %s", got, e.Response.RedirectURL)
	}
}
