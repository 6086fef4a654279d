module github.com/okhttp-go/ok/tests/bench

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/go-resty/resty/v2 v2.17.2
	github.com/gobwas/ws v1.5.0
	github.com/gorilla/websocket v1.5.3
	github.com/gregjones/httpcache v0.0.0-20190611155906-901d90724c79
	github.com/klauspost/compress v1.20.4
	github.com/lxzan/gws v1.8.9
	github.com/okhttp-go/ok/okhttp v0.0.0
	github.com/okhttp-go/ok/okhttp-cache v0.0.0
	github.com/okhttp-go/ok/okhttp-sse v0.0.0
	github.com/okhttp-go/ok/okhttp-ws v0.0.0
	github.com/okhttp-go/ok/okio v0.0.0
	github.com/peterbourgon/diskv v2.0.1+incompatible
	github.com/r3labs/sse/v2 v2.10.0
	github.com/tmaxmax/go-sse v0.12.0
	github.com/valyala/fasthttp v1.79.0
	golang.org/x/net v0.62.0
	gopkg.in/cenkalti/backoff.v1 v1.1.0
)

require (
	github.com/dolthub/maphash v0.1.0 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/google/btree v1.1.3 // indirect
	github.com/molecule-man/go-brrr v1.3.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace (
	github.com/okhttp-go/ok/okhttp => ../../okhttp
	github.com/okhttp-go/ok/okhttp-cache => ../../okhttp-cache
	github.com/okhttp-go/ok/okhttp-sse => ../../okhttp-sse
	github.com/okhttp-go/ok/okhttp-ws => ../../okhttp-ws
	github.com/okhttp-go/ok/okio => ../../okio
)
