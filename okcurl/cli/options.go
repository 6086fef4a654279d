package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// maxRedirects is what the client follows at the most.
const maxRedirects = 20

// unset marks a time limit that is left to the library.
const unset time.Duration = -1

// options are the command line, understood.
type options struct {
	urls    []string
	outputs []output // of the URLs in their order

	method     string // "" if it follows from the rest
	data       []dataPart
	headers    []headerLine
	userAgent  string
	referer    string
	user       *credentials
	compressed bool

	include, head, fail        bool
	silent, showError, verbose bool
	writeOut                   string

	location     bool
	maxRedirects int

	protocols okhttp.Protocols
	frames    bool

	insecure bool
	caFile   string

	resolve []resolveRule
	dohURL  string // "" for the system's resolver

	proxy      *proxyURL // nil: that of the environment
	proxyUser  *credentials
	noProxy    *string // nil: that of the environment
	unixSocket string

	connectTimeout, readTimeout, maxTime time.Duration

	help, version bool
}

// output is where one response goes.
type output struct {
	file   string
	remote bool // named after the URL
}

type credentials struct{ name, password string }

func newOptions() *options {
	return &options{
		userAgent:      "okcurl/" + okhttp.Version,
		maxRedirects:   maxRedirects,
		connectTimeout: unset,
		readTimeout:    unset,
		maxTime:        unset,
	}
}

// check refuses combinations that mean nothing.
func (o *options) check() error {
	switch {
	case len(o.urls) == 0:
		return usageError("no URL was given")
	case o.head && len(o.data) > 0:
		return usageError("--head and data exclude each other: HEAD carries none")
	}
	return nil
}

// setProtocols chooses what is spoken. Undone, --http2 leaves HTTP/1.1 and the others the default.
func (o *options) setProtocols(p okhttp.Protocols, on bool) {
	switch {
	case on:
		o.protocols = p
	case p == okhttp.HTTP2OrHTTP1:
		o.protocols = okhttp.HTTP1Only
	default:
		o.protocols = okhttp.HTTP2OrHTTP1
	}
}

// outputOf returns where the response of the nth URL goes. The zero output is standard output.
func (o *options) outputOf(n int) output {
	if n < len(o.outputs) {
		return o.outputs[n]
	}
	return output{}
}

// setRemoteName adds an output named after its URL. --no-remote-name takes the latest such back.
func (o *options) setRemoteName(on bool) {
	if on {
		o.outputs = append(o.outputs, output{remote: true})
		return
	}
	if n := len(o.outputs); n > 0 && o.outputs[n-1].remote {
		o.outputs = o.outputs[:n-1]
	}
}

func (o *options) setMaxRedirects(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < -1 {
		return fmt.Errorf("expected a number of redirects, got %q", text)
	}
	if n == -1 { // curl's spelling of no limit
		n = maxRedirects
	}
	o.maxRedirects = min(n, maxRedirects)
	return nil
}

func parseUser(text string) (*credentials, error) {
	name, password, ok := strings.Cut(text, ":")
	if !ok {
		return nil, errors.New("expected NAME:PASSWORD, got no colon") // the text may be a password
	}
	return &credentials{name, password}, nil
}

// setSeconds reads seconds with a fraction.
func setSeconds(d *time.Duration, text string) error {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 {
		return fmt.Errorf("expected seconds, got %q", text)
	}
	const most = math.MaxInt64 / float64(time.Second) / 4 // so that adding it to the present time does not overflow
	*d = time.Duration(min(seconds, most) * float64(time.Second))
	if *d == 0 && seconds > 0 {
		*d = 1 // 0 would be no limit
	}
	return nil
}
