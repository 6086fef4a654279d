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
	urls       []string
	outputs    []output // of the URLs in their order
	outputDir  string
	createDirs bool
	continueAt *int64 // nil: from the beginning; -1: after what the file has
	clobber    *bool  // nil: files are replaced, but not where the server chose the name

	remoteHeaderName bool
	remoteNameAll    bool // for URLs without an output
	remoteTime       bool
	removeOnError    bool

	method      string // "" if it follows from the rest
	data        []dataPart
	get         bool // data is a query
	urlQuery    []dataPart
	form        []formPart
	uploads     []string // files, of the URLs in their order
	byteRange   string
	headers     []headerLine
	userAgent   string
	referer     string
	autoReferer bool // after redirects the URL that they came from
	user        *credentials
	digest      bool
	bearer      string
	cookies     []string
	cookieJar   *string // nil: none is written
	junkSession bool    // of the files of cookies
	compressed  bool

	compress           bool // of web sockets, as the next two are
	ping, closeTimeout time.Duration

	include, head              bool
	fail, failWithBody         bool
	failEarly                  bool
	silent, showError, verbose bool
	noBars                     bool
	events                     bool
	har                        string
	harRedact                  []string
	dumpHeader                 string
	writeOut                   string

	parallel    bool
	parallelMax int
	retry       retries
	rate        int64 // bytes a second, 0 for no limit

	location     bool
	maxRedirects int

	protocols okhttp.Protocols
	frames    bool

	sse, sseJSON bool
	lastEventID  string

	insecure          bool
	caFile            string
	certFile, keyFile string
	pinner            *okhttp.CertificatePinner
	tlsMin, tlsMax    uint16 // 0: what the library says
	family            int    // 4 or 6, 0 for both

	cacheDir  string // "" for no cache
	cacheSize int64  // 0 for the default

	resolve   []resolveRule
	connectTo []connectRule
	dohURL    string // "" for the system's resolver

	proxy      *proxyURL // nil: that of the environment
	proxyUser  *credentials
	noProxy    *string // nil: that of the environment
	unixSocket string

	proto, protoRedir []string // schemes, nil for all
	maxFileSize       int64    // 0 for no limit

	connectTimeout, readTimeout, maxTime time.Duration

	help, version, manual bool
	completion            string
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
		closeTimeout:   unset,
		parallelMax:    50,
		retry:          retries{delay: unset},
	}
}

// check refuses combinations that mean nothing.
func (o *options) check() error {
	switch {
	case len(o.urls) == 0:
		return usageError("no URL was given")
	case o.head && o.bodies() > 0 && !o.get:
		return usageError("--head and data exclude each other: HEAD carries none")
	case o.bodies() > 1:
		return usageError("--data, --form and --upload-file exclude each other")
	case len(o.uploads) > len(o.urls):
		return usageError("%d files to upload, expected a URL for each and got %d", len(o.uploads), len(o.urls))
	case o.keyFile != "" && o.certFile == "":
		return usageError("--key needs --cert")
	case o.digest && o.user == nil:
		return usageError("--digest needs --user")
	case o.continueAt != nil && o.byteRange != "":
		return usageError("--continue-at and --range exclude each other")
	case o.continueAt != nil && o.remoteHeaderName:
		return usageError("--continue-at and --remote-header-name exclude each other: the name comes too late to know what there is")
	case o.continueAt != nil && o.removeOnError:
		return usageError("--continue-at and --remove-on-error exclude each other: there would be nothing to go on with")
	case o.continueAt != nil && o.clobber != nil && !*o.clobber:
		return usageError("--continue-at and --no-clobber exclude each other")
	case o.tlsMax != 0 && o.tlsMax < o.tlsMin:
		return usageError("--tls-max is below what is demanded at least")
	case o.head && o.sse:
		return usageError("--head and --sse exclude each other: HEAD brings no events")
	case o.lastEventID != "" && !o.sse:
		return usageError("--last-event-id is about --sse alone")
	case len(o.harRedact) > 0 && o.har == "":
		return usageError("--har-redact is about --har alone")
	case o.retry.most > 0 && o.readsInput():
		return usageError("--retry cannot send standard input again")
	}
	return nil
}

// bodies counts the ways in which the options make a body.
func (o *options) bodies() (n int) {
	for _, some := range []bool{len(o.data) > 0, len(o.form) > 0, len(o.uploads) > 0} {
		if some {
			n++
		}
	}
	return n
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

// outputOf returns where the response of the nth URL goes. An output without a name is standard output.
func (o *options) outputOf(n int) output {
	if n < len(o.outputs) {
		return o.outputs[n]
	}
	return output{remote: o.remoteNameAll}
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

func setCount(n *int, text string, least int) error {
	value, err := strconv.Atoi(text)
	if err != nil || value < least {
		return fmt.Errorf("expected a number from %d on, got %q", least, text)
	}
	*n = value
	return nil
}

// setFamily restricts the addresses. The latest of --ipv4 and --ipv6 counts.
func (o *options) setFamily(family int, on bool) {
	switch {
	case on:
		o.family = family
	case o.family == family:
		o.family = 0
	}
}

// setRate reads bytes a second.
func (o *options) setRate(text string) error {
	n, ok := multiplied(text)
	if !ok {
		return fmt.Errorf("expected bytes a second, got %q", text)
	}
	o.rate = n
	return nil
}

// setCacheSize reads how many bytes a cache may have.
func (o *options) setCacheSize(text string) error {
	n, ok := multiplied(text)
	if !ok || n == 0 {
		return fmt.Errorf("expected a number of bytes, 1 or more, got %q", text)
	}
	o.cacheSize = n
	return nil
}

func (o *options) setMaxFileSize(text string) error {
	n, ok := multiplied(text)
	if !ok {
		return fmt.Errorf("expected a number of bytes, got %q", text)
	}
	o.maxFileSize = n
	return nil
}

// multiplied reads a number that is not negative, with a suffix that multiplies.
func multiplied(text string) (n int64, ok bool) {
	factor := int64(1)
	digits := text
	if n := len(text); n > 0 {
		if i := strings.IndexByte("kmgt", text[n-1]|0x20); i >= 0 {
			factor, digits = 1<<(10*(i+1)), text[:n-1]
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, false
	}
	return n * factor, true
}

// setContinueAt reads an offset, or - for what is there.
func (o *options) setContinueAt(text string) error {
	at := int64(-1)
	if text != "-" {
		var err error
		if at, err = strconv.ParseInt(text, 10, 64); err != nil || at < 0 {
			return fmt.Errorf("expected an offset in bytes or -, got %q", text)
		}
	}
	o.continueAt = &at
	return nil
}
