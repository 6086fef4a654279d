package okhttp

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

type params = map[string]string

func TestChallenges(t *testing.T) {
	basic := Challenge{Scheme: "Basic"}
	digest := Challenge{Scheme: "Digest"}
	realm := func(scheme, realm string) Challenge { return Challenge{Scheme: scheme, Params: params{"realm": realm}} }
	for in, want := range map[string][]Challenge{
		// the table of the specification
		`Digest realm="myrealm", nonce="abc"`: {{Scheme: "Digest", Params: params{"realm": "myrealm", "nonce": "abc"}}},
		`Other abc==`:                         {{Scheme: "Other", Token68: "abc=="}},
		`Other abc==, realm=x`:                {{Scheme: "Other", Token68: "abc=="}},
		`Basic realm = "myrealm",Digest`:      {realm("Basic", "myrealm"), digest},
		`Digest,,,, Basic ,,,realm=my"realm`:  {digest},
		`Basic`:                               {basic},
		`Basic, Digest`:                       {basic, digest},
		`Basic realm="a \"b\" \\ \c"`:         {realm("Basic", `a "b" \ c`)},
		// separators
		``:                            nil,
		` ,, `:                        nil,
		`,Basic,`:                     {basic},
		`Basic ,,,realm="x"`:          {realm("Basic", "x")},
		`Basic realm="x",,,Digest,`:   {realm("Basic", "x"), digest},
		"Basic\trealm\t=\t\"x\"\t":    {realm("Basic", "x")},
		`Basic realm="a, Digest b=c"`: {realm("Basic", "a, Digest b=c")},
		// words that only what follows tells apart
		`Basic Digest`:                      {{Scheme: "Basic", Token68: "Digest"}},
		`Basic Digest realm=x`:              {basic, realm("Digest", "x")},
		`Basic realm="a", Digest realm="b"`: {realm("Basic", "a"), realm("Digest", "b")},
		`Basic realm=a, Other abc/+==, Digest realm=b`: {
			realm("Basic", "a"), {Scheme: "Other", Token68: "abc/+=="}, realm("Digest", "b"),
		},
		`Negotiate`:                              {{Scheme: "Negotiate"}},
		`Negotiate a87421000492aa874209af8bc028`: {{Scheme: "Negotiate", Token68: "a87421000492aa874209af8bc028"}},
		`Basic realm=`:                           {{Scheme: "Basic", Token68: "realm="}},
		`Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple"`: {
			{Scheme: "Newauth", Params: params{"realm": "apps", "type": "1", "title": `Login to "apps"`}}, realm("Basic", "simple"),
		},
		// names
		`bAsIc REALM="x"`:                      {realm("bAsIc", "x")},
		`Basic realm=""`:                       {realm("Basic", "")},
		`Digest qop="auth", algorithm=SHA-256`: {{Scheme: "Digest", Params: params{"qop": "auth", "algorithm": "SHA-256"}}},
		`Basic charset="UTF-8"`:                {{Scheme: "Basic", Params: params{"charset": "UTF-8"}}},
		// faults: what was complete before stays
		`"Basic"`:                                nil,
		`Bas(ic realm=x`:                         nil,
		`realm="x"`:                              nil,
		`=`:                                      nil,
		`Basic "x"`:                              nil,
		`Basic realm="x`:                         nil,
		`Basic realm="x\`:                        nil,
		`Basic realm=="x"`:                       nil,
		`Basic realm= ="x"`:                      nil,
		`Basic realm="x" nonce="y"`:              nil,
		`Basic realm=,nonce="y"`:                 {{Scheme: "Basic", Token68: "realm="}}, // then nonce is a scheme with a fault
		`Basic realm = ,nonce="y"`:               nil,
		`Basic r(m="x"`:                          nil,
		`Basic realm="x", REALM="y"`:             nil,
		`Digest a=b, Basic realm="x", realm="y"`: {{Scheme: "Digest", Params: params{"a": "b"}}},
		`Basic realm="x", "y"`:                   {realm("Basic", "x")},
		`Basic realm="x", Digest realm=`:         {realm("Basic", "x"), {Scheme: "Digest", Token68: "realm="}},
		`Digest, Basic, realm`:                   {digest, basic, {Scheme: "realm"}},
	} {
		if got := appendChallenges(nil, in); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestResponseChallenges(t *testing.T) {
	h := mustHeaders(t,
		"WWW-Authenticate", `Basic realm="protected area"`,
		"Proxy-Authenticate", `Basic realm="proxy"`,
		"www-authenticate", `Digest realm="x`,
		"WWW-Authenticate", `Basic realm="protected area", charset="utf-8"`)
	for status, want := range map[int][]Challenge{
		401: {
			{Scheme: "Basic", Params: params{"realm": "protected area"}},
			{Scheme: "Basic", Params: params{"realm": "protected area", "charset": "utf-8"}},
		},
		407: {{Scheme: "Basic", Params: params{"realm": "proxy"}}},
		200: nil,
		403: nil,
	} {
		resp := NewResponse(mustRequest(t, "GET", "http://h/"), status, ResponseHeaders(h))
		if got := resp.Challenges(); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}

func TestChallengeParameters(t *testing.T) {
	for in, want := range map[string]string{
		`Basic realm="x"`:               "ISO-8859-1",
		`Basic charset="UTF-8"`:         "UTF-8",
		`Basic charset=utf-8`:           "UTF-8",
		`Basic charset="ISO-8859-1"`:    "ISO-8859-1",
		`Basic charset="no-such-thing"`: "ISO-8859-1",
		`Negotiate abc`:                 "ISO-8859-1",
	} {
		if got := appendChallenges(nil, in)[0].Charset(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if got := appendChallenges(nil, `Basic Realm="a b", x=y`)[0].Realm(); got != "a b" {
		t.Errorf("realm is %q", got)
	}
	if got := (Challenge{}).Realm(); got != "" {
		t.Errorf("no realm is %q", got)
	}
}

// FuzzChallenges writes what it read in the strictest form and reads it again.
func FuzzChallenges(f *testing.F) {
	for _, s := range []string{
		`Digest realm="myrealm", nonce="abc"`, `Other abc==, realm=x`, `Basic realm = "my\"realm",Digest`, `Digest,,,, Basic ,,,realm=my"realm`,
		`Negotiate, NTLM TlRM==, Basic a=b, a=c`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		read := appendChallenges(nil, s)
		var written []string
		for _, c := range read {
			if !isMethod(c.Scheme) || c.Token68 != "" && c.Params != nil {
				t.Fatalf("%q: %q", s, c)
			}
			text := c.Scheme + " " + c.Token68
			for name, value := range maps.All(c.Params) {
				if !isMethod(name) || name != strings.ToLower(name) {
					t.Fatalf("%q: parameter %q", s, name)
				}
				text += " ," + name + `="` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(value) + `"`
			}
			written = append(written, text)
		}
		if again := appendChallenges(nil, strings.Join(written, ",")); !reflect.DeepEqual(read, again) {
			t.Fatalf("%q: %q, written as %q, reads as %q", s, read, written, again)
		}
	})
}
