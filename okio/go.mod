module github.com/okhttp-go/ok/okio

go 1.26.0

require github.com/klauspost/compress v1.20.4
