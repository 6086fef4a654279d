package url

import "strings"

// reasons explains each deviation: the first entry whose suite is right and whose text occurs in the case.
var reasons = []struct{ suite, text, reason string }{
	{"urltestdata, http and https", `"httpa://foo:80/"`,
		"the scheme is httpa; okhttp.URL holds http and https only"},

	{"IdnaTestV2", `\U00032931`, unicode17},
	{"IdnaTestV2", `\U00032b9a`, unicode17},

	{"okhttp-urltestdata", `# e "`, encodedFragment},
	{"okhttp-urltestdata", `"#β"`, encodedFragment},
	{"okhttp-urltestdata", `baz# »"`, encodedFragment},
	{"okhttp-urltestdata", `"http://f:999999/c"`,
		"ports end at 65535 in the URL Standard, and in OkHttp"},
	{"okhttp-urltestdata", `"http://%30%78%63%30%2e%30%32%35%30.01%2e"`,
		"the URL Standard has since come to ignore a trailing dot after an IPv4 address; urltestdata.json asks for 192.168.0.1"},

	{"okhttp-toascii", `"xn--`,
		"the URL Standard has since come to only lower-case a name that is ASCII already, without decoding its xn-- labels; toascii.json asks for the name as it is"},
}

const (
	unicode17 = "the character is new in Unicode 17, which x/net/idna has tables for from Go 1.27 on; " +
		"a name with a character unknown to the tables is refused"
	encodedFragment = "the URL Standard has since come to percent-encode the fragment; urltestdata.json asks for it"
)

// reasonFor returns "" for a deviation that nobody has explained.
func reasonFor(suite, name string) string {
	for _, r := range reasons {
		if r.suite == suite && strings.Contains(name, r.text) {
			return r.reason
		}
	}
	return ""
}
