package okcache

import "testing"

// What a HEAD says is taken over if it is about what is stored, and that is removed if it is not (RFC 9111 section 4.3.5).
func TestHeadFreshens(t *testing.T) {
	stored := reply("200 OK", "text", "ETag: \"v1\"", "Cache-Control: max-age=1000", "X: old")
	head := func(headers string) string { return "HTTP/1.1 200 OK\r\n" + headers + "\r\n" }
	for name, c := range map[string]struct {
		config Config
		head   string
		want   string // of the header X in a hit, "" for a miss
	}{
		"the same":          {Config{RFC9111: true}, head("ETag: \"v1\"\r\nContent-Length: 4\r\nX: new\r\n"), "new"},
		"no validator":      {Config{RFC9111: true}, head("X: new\r\nCache-Control: max-age=10\r\n"), "new"},
		"another validator": {Config{RFC9111: true}, head("ETag: \"v2\"\r\nX: new\r\n"), ""},
		"another length":    {Config{RFC9111: true}, head("ETag: \"v1\"\r\nContent-Length: 5\r\n"), ""},
		"a new validator":   {Config{RFC9111: true}, head("Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT\r\n"), ""},
		"not to be stored":  {Config{RFC9111: true}, head("ETag: \"v1\"\r\nCache-Control: no-store\r\n"), ""},
		"not 200":           {Config{RFC9111: true}, "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n", "old"},
		"by default":        {Config{}, head("ETag: \"v2\"\r\nX: new\r\n"), "old"},
	} {
		t.Run(name, func(t *testing.T) {
			atSite(t, c.config, func(s *site) {
				s.will(stored, c.head)
				s.get("/", "200 text")
				s.do(s.request("HEAD", "/"))
				s.wantAsked(2)
				if c.want == "" {
					s.will(reply("200 OK", "later", "Cache-Control: max-age=1000"))
					s.get("/", "200 later")
					s.wantAsked(1)
					return
				}
				if got := s.get("/", "200 text").Headers().Get("X"); got != c.want {
					t.Errorf("X is %q", got)
				}
				s.wantAsked(0)
			})
		})
	}
}
