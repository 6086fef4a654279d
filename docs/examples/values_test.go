package examples

import (
	"fmt"
	"log"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

func Example_dates() {
	// #region dates
	at := time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC)
	fmt.Println(okhttp.FormatDate(at))

	got, err := okhttp.ParseDate("Sunday, 06-Nov-94 08:49:37 GMT") // the form of an old server
	fmt.Println(got.Equal(at), err)
	// #endregion dates

	// Output:
	// Sun, 06 Nov 1994 08:49:37 GMT
	// true <nil>
}

func Example_mediaType() {
	// #region mediatype
	m, err := okhttp.ParseMediaType("Text/HTML; Charset=UTF-8")
	fmt.Println(m.Type(), m.Subtype(), m.Charset(), err)

	_, err = okhttp.ParseMediaType("text")
	fmt.Println(err != nil)
	// #endregion mediatype

	// Output:
	// text html utf-8 <nil>
	// true
}

func Example_cacheControl() {
	// #region cachecontrol
	req, err := okhttp.NewRequest("GET", "https://example.com/", okhttp.WithCacheControl(okhttp.CacheControl{
		MaxAge:   new(time.Minute),
		MaxStale: new(time.Hour),
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(req.Headers().Get("Cache-Control"))

	h, err := okhttp.NewHeaders("Cache-Control", "max-age=600, private")
	if err != nil {
		log.Fatal(err)
	}
	c := okhttp.ParseCacheControl(h)
	fmt.Println(*c.MaxAge, c.Private, c.SMaxAge == nil)
	// #endregion cachecontrol

	// Output:
	// max-age=60, max-stale=3600
	// 10m0s true true
}

func Example_challenges() {
	// #region challenges
	req, err := okhttp.NewRequest("GET", "https://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	h, err := okhttp.NewHeaders("WWW-Authenticate", `Digest realm="vault", qop="auth", Basic realm="staff"`)
	if err != nil {
		log.Fatal(err)
	}
	resp := okhttp.NewResponse(req, 401, okhttp.ResponseHeaders(h))
	for _, c := range resp.Challenges() {
		fmt.Println(c.Scheme, c.Realm(), c.Params["qop"])
	}
	// #endregion challenges

	// Output:
	// Digest vault auth
	// Basic staff
}

func Example_curl() {
	// #region curl
	body, err := okhttp.JSON(map[string]string{"name": "it's"})
	if err != nil {
		log.Fatal(err)
	}
	req, err := okhttp.NewRequest("PUT", "https://example.com/items/1", okhttp.WithBody(body))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(req.Curl())
	// #endregion curl

	// Output:
	// curl 'https://example.com/items/1' \
	//   -X 'PUT' \
	//   -H 'Content-Type: application/json' \
	//   --data '{"name":"it'\''s"}'
}
