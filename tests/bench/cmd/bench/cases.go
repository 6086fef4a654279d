package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"

	"github.com/okhttp-go/ok/tests/bench"
)

type rowCase struct {
	name string // sub-case, e.g. c8
	cfg  bench.Config
	load bench.Load
	ws   *bench.WSConfig
	msg  []byte
	sse  int
	rss  bool
}

func tlsCfg() *tls.Config {
	return &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS13}
}

func casesOf(s string) (cs []rowCase) {
	ca := filepath.Join(tmp, "ca.pem")
	h1 := bench.Config{Scenario: s, Proto: bench.H1, BaseURL: "http://" + ep["h1"]}
	h1t := bench.Config{Scenario: s, Proto: bench.H1TLS, BaseURL: "https://" + ep["h1tls"], TLS: tlsCfg(), CAFile: ca}
	h2 := bench.Config{Scenario: s, Proto: bench.H2, BaseURL: "https://" + ep["h2small"], TLS: tlsCfg(), CAFile: ca}
	add := func(n string, c bench.Config, path string, conc, maxops int, want int64, f func(*rowCase)) {
		c.MaxConns = conc
		r := rowCase{name: n, cfg: c, load: bench.Load{URL: c.BaseURL + path, Conc: conc, MaxOps: maxops, Duration: *dur, Want: want}}
		if f != nil {
			f(&r)
		}
		cs = append(cs, r)
	}
	stream := func(c bench.Config) bench.Config { c.Stream = true; return c }
	rss := func(r *rowCase) { r.rss = true }
	switch s {
	case "h1-small":
		for _, n := range []int{1, 8, 64} {
			add(fmt.Sprintf("c%d", n), h1, "/1k", n, 0, 1024, nil)
		}
	case "h1-tls-small":
		for _, n := range []int{1, 8, 64} {
			add(fmt.Sprintf("c%d", n), h1t, "/1k", n, 0, 1024, nil)
		}
	case "h1-large":
		add("get64M", stream(h1), "/bytes/67108864", 1, 2, 64<<20, rss)
		add("get1G", stream(h1), "/bytes/1073741824", 1, 1, 1<<30, rss)
		add("post64M", stream(h1), "/upload", 1, 2, 0, func(r *rowCase) { r.rss = true; r.load.Upload = 64 << 20 })
	case "h1-tls-large":
		add("get64M", stream(h1t), "/bytes/67108864", 1, 2, 64<<20, rss)
	case "h2-small":
		for _, n := range []int{1, 8, 64, 256} {
			add(fmt.Sprintf("c%d", n), h2, "/1k", n, 0, 1024, nil)
		}
	case "h2-std": // same, against the net/http server, to cross-check the raw one
		h2.BaseURL = "https://" + ep["std"]
		for _, n := range []int{1, 64} {
			add(fmt.Sprintf("c%d", n), h2, "/1k", n, 0, 1024, nil)
		}
	case "h2-large":
		h2.BaseURL = "https://" + ep["h2large"]
		add("get64M", stream(h2), "/", 1, 2, 64<<20, rss)
		h2.BaseURL = "https://" + ep["h2delay"]
		add("get64M-rtt20", stream(h2), "/", 1, 1, 64<<20, rss)
		h1.BaseURL = "http://" + ep["h1delay"]
		add("h1-get64M-rtt20", stream(h1), "/bytes/67108864", 1, 1, 64<<20, rss)
	case "connect":
		h1.NewConnPerRequest, h1t.NewConnPerRequest = true, true
		add("tcp", h1, "/1k", 1, 0, 1024, nil)
		add("tls13", h1t, "/1k", 1, 0, 1024, nil)
		h1t.TLSResume = true
		add("tls13-resume", h1t, "/1k", 1, 0, 1024, nil)
	case "gzip":
		var raw int64
		fmt.Sscan(ep["gzraw"], &raw)
		h1.Gzip = true
		add("1M-json", h1, "/gz", 1, 0, raw, nil)
	case "cache":
		for _, x := range []struct {
			n, p string
			w    int64
		}{{"1k", "/1k", 1024}, {"1m", "/1m", 1 << 20}} {
			h1.CacheDir = filepath.Join(tmp, "cache-"+x.n)
			os.MkdirAll(h1.CacheDir, 0o755)
			add(x.n, h1, x.p, 1, 0, x.w, nil)
		}
	case "ws", "ws-deflate":
		for _, n := range []int{64, 1 << 10, 64 << 10, 1 << 20} {
			for _, c := range []int{1, 64} {
				if c == 64 && n == 1<<20 {
					continue // 64 connections of 1 MiB only measures memory bandwidth here
				}
				r := rowCase{name: fmt.Sprintf("%dB-c%d", n, c), ws: &bench.WSConfig{URL: "ws://" + ep["h1"] + "/ws", Deflate: s == "ws-deflate"}, msg: text(n)}
				r.load = bench.Load{Conc: c, Duration: *dur, Want: int64(n)}
				cs = append(cs, r)
			}
		}
	case "sse":
		cs = append(cs, rowCase{name: "1M-events", sse: 1000000, load: bench.Load{URL: "http://" + ep["h1"] + "/sse/1000000", Conc: 1, MaxOps: 1}})
	}
	return
}

func text(n int) []byte {
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = append(b, fmt.Sprintf(`{"id":%d,"name":"user %d","v":%d.%02d},`, i, i*7919%1000, i*31%977, i%100)...)
	}
	return b[:n]
}
