module github.com/okhttp-go/ok/okcurl

go 1.26.0

require (
	github.com/okhttp-go/ok/okhttp v0.0.0
	github.com/okhttp-go/ok/okhttp-brotli v0.0.0
	github.com/okhttp-go/ok/okhttp-cache v0.0.0
	github.com/okhttp-go/ok/okhttp-sse v0.0.0
	github.com/okhttp-go/ok/okhttp-ws v0.0.0
	github.com/okhttp-go/ok/okio v0.0.0
)

require (
	github.com/andybalholm/brotli v1.3.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace (
	github.com/okhttp-go/ok/okhttp => ../okhttp
	github.com/okhttp-go/ok/okhttp-brotli => ../okhttp-brotli
	github.com/okhttp-go/ok/okhttp-cache => ../okhttp-cache
	github.com/okhttp-go/ok/okhttp-sse => ../okhttp-sse
	github.com/okhttp-go/ok/okhttp-ws => ../okhttp-ws
	github.com/okhttp-go/ok/okio => ../okio
)
