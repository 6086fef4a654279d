module github.com/okhttp-go/ok/okhttp-sse

go 1.26.0
