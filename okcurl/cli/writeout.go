package cli

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// writeOutVariables are what --write-out knows, under the names that curl gives them.
var writeOutVariables = map[string]func(m *measure) string{
	"content_type": func(m *measure) string {
		if m.response == nil {
			return ""
		}
		return m.response.Headers().Get("Content-Type")
	},
	"errormsg": func(m *measure) string {
		if m.failure == nil {
			return ""
		}
		return m.failure.text
	},
	"exitcode": func(m *measure) string {
		if m.failure == nil {
			return "0"
		}
		return strconv.Itoa(m.failure.code)
	},
	"filename_effective": func(m *measure) string { return m.file },
	"http_code":          (*measure).status,
	"http_version": func(m *measure) string {
		if m.response == nil {
			return "0"
		}
		return strings.TrimPrefix(versionName(m.response.Protocol), "HTTP/")
	},
	"local_ip":           func(m *measure) string { return hostOf(m.local) },
	"local_port":         func(m *measure) string { return portOf(m.local) },
	"method":             func(m *measure) string { return m.method },
	"num_connects":       func(m *measure) string { return strconv.Itoa(m.connects) },
	"num_redirects":      func(m *measure) string { return strconv.Itoa(m.redirects) },
	"redirect_url":       func(m *measure) string { return m.next },
	"remote_ip":          func(m *measure) string { return hostOf(m.remote) },
	"remote_port":        func(m *measure) string { return portOf(m.remote) },
	"response_code":      (*measure).status,
	"scheme":             func(m *measure) string { return m.scheme },
	"size_download":      func(m *measure) string { return strconv.FormatInt(m.downloaded, 10) },
	"size_upload":        func(m *measure) string { return strconv.FormatInt(m.uploaded, 10) },
	"speed_download":     func(m *measure) string { return speed(m.downloaded, m.total) },
	"time_appconnect":    func(m *measure) string { return seconds(m.secured) },
	"time_connect":       func(m *measure) string { return seconds(m.connected) },
	"time_namelookup":    func(m *measure) string { return seconds(m.lookedUp) },
	"time_pretransfer":   func(m *measure) string { return seconds(m.sending) },
	"time_starttransfer": func(m *measure) string { return seconds(m.answered) },
	"time_total":         func(m *measure) string { return seconds(m.total) },
	"url_effective":      func(m *measure) string { return m.url },
}

// writeOutFormat returns a format, read from where it says.
func writeOutFormat(text string, in io.Reader) (string, error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text, nil
	}
	format, err := readNamed(name, in)
	return string(format), err
}

// status is "000" when no response came.
func (m *measure) status() string {
	if m.response == nil {
		return "000"
	}
	return fmt.Sprintf("%03d", m.response.Status)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }

func speed(n int64, d time.Duration) string {
	if d <= 0 {
		return "0"
	}
	return strconv.FormatInt(int64(float64(n)/d.Seconds()), 10)
}

func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr) // "" before there is a connection
	return host
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

// expand writes a format filled in: %{name}, %header{name}, %% and the escapes \n, \r and \t. From %{stderr} on it writes to complaints, from %{stdout} on to out.
// Variables that do not exist are reported to complaints and print nothing.
func (m *measure) expand(format string, out, complaints io.Writer) (err error) {
	var b strings.Builder
	to := out
	turn := func(next io.Writer) {
		if _, failed := io.WriteString(to, b.String()); failed != nil && to == out {
			err = failed
		}
		b.Reset()
		to = next
	}
	defer func() { turn(nil) }()
	for format != "" {
		i := strings.IndexAny(format, `%\`)
		if i < 0 || i == len(format)-1 {
			b.WriteString(format)
			break
		}
		b.WriteString(format[:i])
		format = format[i:]
		taken := 2
		switch format[:2] {
		case "%%":
			b.WriteByte('%')
		case `\n`:
			b.WriteByte('\n')
		case `\r`:
			b.WriteByte('\r')
		case `\t`:
			b.WriteByte('\t')
		case "%{":
			end := strings.IndexByte(format, '}')
			if end < 0 {
				b.WriteString("%{")
				break
			}
			name := format[2:end]
			taken = end + 1
			switch value, ok := writeOutVariables[name]; {
			case ok:
				b.WriteString(value(m))
			case name == "stdout":
				turn(out)
			case name == "stderr":
				turn(complaints)
			default:
				fmt.Fprintf(complaints, "okcurl: unknown --write-out variable: %s\n", printable(name))
			}
		default:
			taken = 1
			name, _, ok := strings.Cut(strings.TrimPrefix(format, "%header{"), "}")
			if !ok || !strings.HasPrefix(format, "%header{") {
				b.WriteByte(format[0])
				break
			}
			taken = len("%header{") + len(name) + 1
			if m.response != nil {
				b.WriteString(m.response.Headers().Get(name))
			}
		}
		format = format[taken:]
	}
	return err
}

// redirectURL is where a response leads that was not followed, "" if nowhere.
func redirectURL(r *okhttp.Response) string {
	if !isRedirect(r) {
		return ""
	}
	location, _ := r.Headers().Last("Location")
	u, err := r.Request().URL().Resolve(location)
	if err != nil {
		return ""
	}
	if u, err = withoutUserinfo(u); err != nil {
		return ""
	}
	return u.String()
}
