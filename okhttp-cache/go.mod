module github.com/okhttp-go/ok/okhttp-cache

go 1.26.0
