module github.com/okhttp-go/ok/tests

go 1.26.0

tool (
	github.com/magefile/mage
	honnef.co/go/tools/cmd/staticcheck
)

require (
	github.com/aws/aws-sdk-go-v2 v1.48.0
	github.com/aws/aws-sdk-go-v2/credentials v1.21.1
	github.com/aws/aws-sdk-go-v2/service/s3 v1.114.10
	github.com/aws/smithy-go v1.28.9
	github.com/coder/websocket v1.8.15
	github.com/google/go-github/v88 v88.0.0
	github.com/gorilla/websocket v1.5.3
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/johannesboyne/gofakes3 v1.2.0
	github.com/lxzan/gws v1.8.9
	github.com/miekg/dns v1.1.73
	github.com/okhttp-go/ok/mockserver v0.0.0
	github.com/okhttp-go/ok/okcurl v0.0.0
	github.com/okhttp-go/ok/okhttp v0.0.0
	github.com/okhttp-go/ok/okhttp-brotli v0.0.0
	github.com/okhttp-go/ok/okhttp-sse v0.0.0
	github.com/okhttp-go/ok/okhttp-ws v0.0.0
	github.com/okhttp-go/ok/okio v0.0.0
	github.com/prometheus/client_golang v1.25.0
	github.com/prometheus/common v0.72.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/summerwind/h2spec v2.2.1+incompatible
	github.com/tmaxmax/go-sse v0.12.0
	go.uber.org/goleak v1.3.0
	golang.org/x/mod v0.41.0
	golang.org/x/net v0.62.0
	golang.org/x/oauth2 v0.38.0
	golang.org/x/tools v0.51.0
	pgregory.net/rapid v1.3.0
)

require github.com/dolthub/maphash v0.1.0 // indirect

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/andybalholm/brotli v1.3.0 // indirect
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.27 // indirect
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.12 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.12 // indirect
	github.com/aws/aws-sdk-go-v2/internal/v4a v1.5.12 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.13.25 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/checksum v1.11.13 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/presigned-url v1.14.12 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/s3shared v1.20.12 // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/magefile/mage v1.17.2 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/okhttp-go/ok/okhttp-cache v0.0.0
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/ryszard/goskiplist v0.0.0-20150312221310-2dfbae5fcf46 // indirect
	go.shabbyrobe.org/gocovmerge v0.0.0-20230507111327-fa4f82cfbf4d // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

replace (
	github.com/okhttp-go/ok/mockserver => ../mockserver
	github.com/okhttp-go/ok/okcurl => ../okcurl
	github.com/okhttp-go/ok/okhttp => ../okhttp
	github.com/okhttp-go/ok/okhttp-brotli => ../okhttp-brotli
	github.com/okhttp-go/ok/okhttp-cache => ../okhttp-cache
	github.com/okhttp-go/ok/okhttp-sse => ../okhttp-sse
	github.com/okhttp-go/ok/okhttp-ws => ../okhttp-ws
	github.com/okhttp-go/ok/okio => ../okio
)
