// Package okcookie is a cookie jar that can be looked into, edited and kept in a file (RFC 6265bis).
//
// A [Jar] is an [http.CookieJar], for an okhttp client or one of package net/http:
//
//	jar := okcookie.New(nil)
//	if err := jar.Load("cookies.json"); err != nil && !errors.Is(err, fs.ErrNotExist) {
//		return err
//	}
//	client := okhttp.New(okhttp.WithCookieJar(jar))
//	…
//	return jar.Save("cookies.json")
//
// It reads the Set-Cookie lines themselves rather than what package net/http made of them, as browsers do where that differs. The client of okhttp
// hands it all of them; one of package net/http keeps back those that it cannot read, such as names with brackets and values with quotes in
// them. The jar refuses what browsers refuse: cookies for other hosts and for public suffixes such as "co.uk", Secure cookies that come over http or
// that such a cookie would shadow, and the names __Secure- and __Host- without what they promise. [Jar.SetCookie] says why a
// cookie was refused. SameSite is kept and not acted on, because a client has no site that its requests come from.
//
// [Jar.LoadNetscape] and [Jar.SaveNetscape] are for cookies.txt, the file that curl and wget have.
//
// # Concurrency
//
// A Jar may be used by any number of goroutines. One mutex guards its cookies; it is not held while files are read or written, nor while the
// clock or the loop over [Jar.All] runs. A [Cookie] is a value.
package okcookie
