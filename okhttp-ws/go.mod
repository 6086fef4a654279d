module github.com/okhttp-go/ok/okhttp-ws

go 1.26.0
