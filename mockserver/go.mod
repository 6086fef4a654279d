module github.com/okhttp-go/ok/mockserver

go 1.26.0

require (
	github.com/okhttp-go/ok/okhttp v0.0.0
	github.com/okhttp-go/ok/okio v0.0.0
)

replace (
	github.com/okhttp-go/ok/okhttp => ../okhttp
	github.com/okhttp-go/ok/okio => ../okio
)
