module github.com/okhttp-go/ok/okhttp-cache

go 1.26.0

require github.com/okhttp-go/ok/okio v0.0.0

require github.com/klauspost/compress v1.20.4 // indirect

replace (
	github.com/okhttp-go/ok/okhttp => ../okhttp
	github.com/okhttp-go/ok/okio => ../okio
)
