module github.com/okhttp-go/ok/tests

go 1.26.0

tool (
	github.com/magefile/mage
	honnef.co/go/tools/cmd/staticcheck
)

require (
	github.com/miekg/dns v1.1.73
	github.com/okhttp-go/ok/mockserver v0.0.0
	github.com/okhttp-go/ok/okcurl v0.0.0
	github.com/okhttp-go/ok/okhttp v0.0.0
	github.com/okhttp-go/ok/okhttp-brotli v0.0.0
	github.com/okhttp-go/ok/okio v0.0.0
	github.com/rogpeppe/go-internal v1.16.0
	go.uber.org/goleak v1.3.0
	golang.org/x/mod v0.41.0
	golang.org/x/tools v0.51.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/andybalholm/brotli v1.3.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/magefile/mage v1.17.2 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

replace (
	github.com/okhttp-go/ok/mockserver => ../mockserver
	github.com/okhttp-go/ok/okcurl => ../okcurl
	github.com/okhttp-go/ok/okhttp => ../okhttp
	github.com/okhttp-go/ok/okhttp-brotli => ../okhttp-brotli
	github.com/okhttp-go/ok/okio => ../okio
)
