package cli

import (
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// A flag is one row of the table that is parsed by and that the help is made of, in alphabetical order. It either has an argument and set, or it is a switch
// and has turn.
type flag struct {
	short byte // 0 if there is only the long form
	long  string
	arg   string // what the help calls the argument
	help  string
	set   func(o *options, value string) error
	turn  func(o *options, on bool)
}

var flags = []flag{
	{long: "cacert", arg: "FILE", help: "trust the certificates of this PEM file instead of the system's",
		set: func(o *options, v string) error { o.caFile = v; return nil }},
	{long: "compressed", help: "ask for a compressed response (br, zstd, gzip or deflate) and unpack it",
		turn: func(o *options, on bool) { o.compressed = on }},
	{long: "connect-timeout", arg: "SECONDS", help: "limit for connecting to one address, without TLS; 0 is none (default 10)",
		set: func(o *options, v string) error { return setSeconds(&o.connectTimeout, v) }},
	{short: 'd', long: "data", arg: "DATA", help: "send DATA by POST as a form; @FILE reads a file and drops its line ends, @- reads the input; repeated data is joined with &",
		set: func(o *options, v string) error { o.addData(dataForm, v); return nil }},
	{long: "data-binary", arg: "DATA", help: "like --data, but leaves the bytes of a file as they are",
		set: func(o *options, v string) error { o.addData(dataBinary, v); return nil }},
	{long: "data-raw", arg: "DATA", help: "like --data, but @ means nothing special",
		set: func(o *options, v string) error { o.addData(dataRaw, v); return nil }},
	{long: "doh-url", arg: "URL", help: "look up hosts over HTTPS at URL; the host of URL and names of the local network are looked up as otherwise",
		set: func(o *options, v string) error { o.dohURL = v; return nil }},
	{short: 'f', long: "fail", help: "take a status of 400 or more for a failure and drop its body",
		turn: func(o *options, on bool) { o.fail = on }},
	{long: "frames", help: "print a line for each frame of HTTP/2, without its content",
		turn: func(o *options, on bool) { o.frames = on }},
	{short: 'I', long: "head", help: "ask for the head alone, with HEAD, and print it",
		turn: func(o *options, on bool) { o.head = on }},
	{short: 'H', long: "header", arg: "LINE", help: "send the header \"Name: value\"; \"Name:\" removes a default one, \"Name;\" sends an empty one",
		set: func(o *options, v string) error { return o.addHeader(v) }},
	{short: 'h', long: "help", help: "print this help",
		turn: func(o *options, on bool) { o.help = on }},
	{long: "http1.1", help: "speak HTTP/1.1 alone",
		turn: func(o *options, on bool) { o.setProtocols(okhttp.HTTP1Only, on) }},
	{long: "http2", help: "let TLS choose between HTTP/2 and HTTP/1.1 (the default), and speak HTTP/1.1 in cleartext",
		turn: func(o *options, on bool) { o.setProtocols(okhttp.HTTP2OrHTTP1, on) }},
	{long: "http2-prior-knowledge", help: "speak HTTP/2 in cleartext, to servers that are known to; https URLs fail",
		turn: func(o *options, on bool) { o.setProtocols(okhttp.HTTP2PriorKnowledge, on) }},
	{short: 'i', long: "include", help: "print the heads of the responses before the body",
		turn: func(o *options, on bool) { o.include = on }},
	{short: 'k', long: "insecure", help: "accept any certificate",
		turn: func(o *options, on bool) { o.insecure = on }},
	{long: "json", arg: "DATA", help: "send DATA by POST as JSON and ask for JSON; @FILE and @- as with --data-binary",
		set: func(o *options, v string) error { o.addData(dataJSON, v); return nil }},
	{short: 'L', long: "location", help: "follow redirects",
		turn: func(o *options, on bool) { o.location = on }},
	{long: "max-redirs", arg: "N", help: "follow N redirects at the most (default and highest: 20)",
		set: func(o *options, v string) error { return o.setMaxRedirects(v) }},
	{short: 'm', long: "max-time", arg: "SECONDS", help: "limit for one URL with everything it takes; 0 is none (the default)",
		set: func(o *options, v string) error { return setSeconds(&o.maxTime, v) }},
	{long: "noproxy", arg: "HOSTS", help: "reach these hosts without a proxy: names with what is below them, addresses, networks, with commas between them; * is all",
		set: func(o *options, v string) error { o.noProxy = &v; return nil }},
	{short: 'o', long: "output", arg: "FILE", help: "write to FILE; the nth -o or -O is that of the nth URL",
		set: func(o *options, v string) error { o.outputs = append(o.outputs, output{file: v}); return nil }},
	{short: 'x', long: "proxy", arg: "URL", help: "use this proxy, http (the default, port 1080), https, socks5 or socks5h; an empty URL is none (default: that of the environment)",
		set: func(o *options, v string) error { o.proxy = &proxyURL{"http", v}; return nil }},
	{short: 'U', long: "proxy-user", arg: "NAME:PASSWORD", help: "credentials for the proxy (Basic, or those of SOCKS)",
		set: func(o *options, v string) (err error) { o.proxyUser, err = parseUser(v); return err }},
	{long: "read-timeout", arg: "SECONDS", help: "limit for each wait for bytes, and for a TLS handshake; 0 is none (default 10)",
		set: func(o *options, v string) error { return setSeconds(&o.readTimeout, v) }},
	{short: 'e', long: "referer", arg: "URL", help: "send URL as Referer",
		set: func(o *options, v string) error { o.referer = v; return nil }},
	{short: 'O', long: "remote-name", help: "write to a file named as the last part of the URL's path",
		turn: func(o *options, on bool) { o.setRemoteName(on) }},
	{short: 'X', long: "request", arg: "METHOD", help: "send METHOD instead of GET, POST or HEAD",
		set: func(o *options, v string) error { o.method = v; return nil }},
	{long: "resolve", arg: "HOST:PORT:ADDR", help: "connect to ADDR instead of looking HOST up for PORT; several ADDR are separated by commas; * as HOST means all others",
		set: func(o *options, v string) error { return o.addResolve(v) }},
	{short: 'S', long: "show-error", help: "print errors even with --silent",
		turn: func(o *options, on bool) { o.showError = on }},
	{short: 's', long: "silent", help: "print neither errors nor progress",
		turn: func(o *options, on bool) { o.silent = on }},
	{long: "socks5", arg: "HOST", help: "use this SOCKS5 proxy (port 1080 by default) and resolve host names here",
		set: func(o *options, v string) error { o.proxy = &proxyURL{"socks5", v}; return nil }},
	{long: "socks5-hostname", arg: "HOST", help: "use this SOCKS5 proxy and let it resolve host names",
		set: func(o *options, v string) error { o.proxy = &proxyURL{"socks5h", v}; return nil }},
	{long: "unix-socket", arg: "PATH", help: "connect to this Unix domain socket, whatever the host, without a proxy",
		set: func(o *options, v string) error { o.unixSocket = v; return nil }},
	{long: "url", arg: "URL", help: "fetch URL, as if it stood alone",
		set: func(o *options, v string) error { o.urls = append(o.urls, v); return nil }},
	{short: 'u', long: "user", arg: "NAME:PASSWORD", help: "send credentials (Basic)",
		set: func(o *options, v string) (err error) { o.user, err = parseUser(v); return err }},
	{short: 'A', long: "user-agent", arg: "NAME", help: "send NAME as User-Agent; an empty NAME sends none",
		set: func(o *options, v string) error { o.userAgent = v; return nil }},
	{short: 'v', long: "verbose", help: "print what happens and the heads that are sent and received",
		turn: func(o *options, on bool) { o.verbose = on }},
	{short: 'V', long: "version", help: "print the version",
		turn: func(o *options, on bool) { o.version = on }},
	{short: 'w', long: "write-out", arg: "FORMAT", help: "print FORMAT after each URL, with variables such as %{http_code}; @FILE and @- read it",
		set: func(o *options, v string) error { o.writeOut = v; return nil }},
}

// parse reads arguments as curl does: flags and URLs in any order, switches bundled (-sSL), arguments attached or apart (-XPUT, -X PUT,
// --max-time=5, --max-time 5), switches undone by --no-NAME, and URLs alone after "--".
func parse(args []string) (*options, error) {
	o := newOptions()
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			o.urls = append(o.urls, args...)
			return o, nil
		case strings.HasPrefix(arg, "--"):
			args, err = o.parseLong(arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = o.parseShort(arg[1:], args)
		default:
			o.urls = append(o.urls, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *options) parseLong(text string, rest []string) ([]string, error) {
	name, value, attached := strings.Cut(text, "=")
	f, on := longFlag(name)
	switch {
	case f == nil:
		return nil, usageError("unknown option --%s", name)
	case f.turn != nil && attached:
		return nil, usageError("option --%s takes no argument, got %q", name, value)
	case f.turn != nil:
		f.turn(o, on)
		return rest, nil
	case !attached && len(rest) == 0:
		return nil, usageError("option --%s needs an argument: %s", name, f.arg)
	case !attached:
		value, rest = rest[0], rest[1:]
	}
	return rest, f.apply(o, "--"+name, value)
}

// longFlag finds a flag, or the switch that a name with "no-" before it undoes.
func longFlag(name string) (f *flag, on bool) {
	positive, negated := strings.CutPrefix(name, "no-")
	for i := range flags {
		switch f := &flags[i]; {
		case f.long == name:
			return f, true
		case negated && f.long == positive && f.turn != nil:
			return f, false
		}
	}
	return nil, false
}

func (o *options) parseShort(bundle string, rest []string) ([]string, error) {
	for i := range len(bundle) {
		f := shortFlag(bundle[i])
		switch {
		case f == nil:
			return nil, usageError("unknown option -%s", printable(bundle[i:i+1]))
		case f.turn != nil:
			f.turn(o, true)
			continue
		}
		value := bundle[i+1:]
		if value == "" {
			if len(rest) == 0 {
				return nil, usageError("option -%c needs an argument: %s", f.short, f.arg)
			}
			value, rest = rest[0], rest[1:]
		}
		return rest, f.apply(o, "-"+string(f.short), value)
	}
	return rest, nil
}

func shortFlag(c byte) *flag {
	for i := range flags {
		if flags[i].short == c {
			return &flags[i]
		}
	}
	return nil
}

// apply sets an argument. Failures name the option as it was written.
func (f *flag) apply(o *options, name, value string) error {
	if err := f.set(o, value); err != nil {
		return usageError("option %s: %w", name, err)
	}
	return nil
}

// usageError is a command line that cannot be understood.
func usageError(format string, args ...any) *failure {
	return &failure{code: exitUsage, text: fmt.Errorf(format, args...).Error() + "; try okcurl --help"}
}
