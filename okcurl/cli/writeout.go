package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// writeOutFormat returns a format, read from where it says.
func writeOutFormat(text string, in io.Reader) (string, error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text, nil
	}
	format, err := readNamed(name, in)
	return string(format), err
}

// expand writes a format filled in: %{name}, %header{name}, %% and the escapes \n, \r and \t. From %{stderr} on it writes to complaints, from %{stdout} on to out,
// and after %{onerror} only of a failure.
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
			switch v, ok := writeOutVariables[name]; {
			case ok:
				b.WriteString(v.of(m))
			case name == "json":
				b.WriteString(m.asJSON())
			case name == "header_json":
				b.WriteString(m.headAsJSON())
			case name == "onerror":
				if m.failure == nil {
					return nil
				}
			case name == "stdout":
				turn(out)
			case name == "stderr":
				turn(complaints)
			default:
				fmt.Fprintf(complaints, "okcurl: unknown --write-out variable: %s\n", printable(name))
			}
		default:
			if format[0] == '\\' { // no escape
				b.WriteString(format[:2])
				break
			}
			taken = 1
			name, _, ok := strings.Cut(strings.TrimPrefix(format, "%header{"), "}")
			if !ok || !strings.HasPrefix(format, "%header{") {
				b.WriteByte(format[0])
				break
			}
			taken = len("%header{") + len(name) + 1
			b.WriteString(m.field(name))
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
