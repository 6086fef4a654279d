package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// A variable is what --write-out can print.
type variable struct {
	of     func(m *measure) string
	number bool // of JSON, text otherwise
}

// writeOutVariables are what --write-out knows, under the names that curl gives them.
var writeOutVariables = map[string]variable{
	"content_type":       text(func(m *measure) string { return m.field("Content-Type") }),
	"errormsg":           text((*measure).message),
	"exitcode":           integer(func(m *measure) int64 { return int64(m.code()) }),
	"filename_effective": text(func(m *measure) string { return m.file }),
	"http_code":          {(*measure).status, true},
	"http_version":       text((*measure).version),
	"local_ip":           text(func(m *measure) string { return hostOf(m.local) }),
	"local_port":         {func(m *measure) string { return portOf(m.local) }, true},
	"method":             text(func(m *measure) string { return m.method }),
	"num_connects":       integer(func(m *measure) int64 { return int64(m.connects) }),
	"num_headers":        integer((*measure).fields),
	"num_redirects":      integer(func(m *measure) int64 { return int64(m.redirects) }),
	"num_retries":        integer(func(m *measure) int64 { return int64(m.tries) }),
	"redirect_url":       text(func(m *measure) string { return m.next }),
	"referer":            text(func(m *measure) string { return m.referer }),
	"remote_ip":          text(func(m *measure) string { return hostOf(m.remote) }),
	"remote_port":        {func(m *measure) string { return portOf(m.remote) }, true},
	"response_code":      {(*measure).status, true},
	"scheme":             text(func(m *measure) string { return m.scheme }),
	"size_download":      integer(func(m *measure) int64 { return m.downloaded }),
	"size_header":        integer(func(m *measure) int64 { return m.headsIn }),
	"size_request":       integer(func(m *measure) int64 { return m.headsOut }),
	"size_upload":        integer(func(m *measure) int64 { return m.uploaded }),
	"speed_download":     integer(func(m *measure) int64 { return speed(m.downloaded, m.total) }),
	"speed_upload":       integer(func(m *measure) int64 { return speed(m.uploaded, m.total) }),
	"time_appconnect":    duration(func(m *measure) time.Duration { return m.secured }),
	"time_connect":       duration(func(m *measure) time.Duration { return m.connected }),
	"time_namelookup":    duration(func(m *measure) time.Duration { return m.lookedUp }),
	"time_pretransfer":   duration(func(m *measure) time.Duration { return m.sending }),
	"time_redirect":      duration(func(m *measure) time.Duration { return m.redirected }),
	"time_starttransfer": duration(func(m *measure) time.Duration { return m.answered }),
	"time_total":         duration(func(m *measure) time.Duration { return m.total }),
	"url":                text(func(m *measure) string { return m.given }),
	"url_effective":      text(func(m *measure) string { return m.url }),
	"urlnum":             integer(func(m *measure) int64 { return int64(m.n) }),
}

func text(of func(m *measure) string) variable { return variable{of, false} }

func integer(of func(m *measure) int64) variable {
	return variable{func(m *measure) string { return strconv.FormatInt(of(m), 10) }, true}
}

func duration(of func(m *measure) time.Duration) variable {
	return variable{func(m *measure) string { return fmt.Sprintf("%.6f", of(m).Seconds()) }, true}
}

// asJSON renders all variables as an object, text that there is not as null.
func (m *measure) asJSON() string {
	object := make(map[string]any, len(writeOutVariables))
	for name, v := range writeOutVariables {
		switch value := v.of(m); {
		case v.number:
			if value = strings.TrimLeft(value, "0"); value == "" || value[0] == '.' { // 000 and no port are 0
				value = "0" + value
			}
			object[name] = json.RawMessage(value)
		case value != "":
			object[name] = value
		default:
			object[name] = nil
		}
	}
	return toJSON(object)
}

// headAsJSON renders the fields of the response in their order, each with all its values, under names in lower case.
func (m *measure) headAsJSON() string {
	values := map[string][]string{}
	var names []string
	if m.response != nil {
		for name, value := range m.response.Headers().All() {
			name = strings.ToLower(name)
			if values[name] == nil {
				names = append(names, name)
			}
			values[name] = append(values[name], value)
		}
	}
	members := make([]string, len(names))
	for i, name := range names {
		members[i] = toJSON(name) + ":" + toJSON(values[name])
	}
	return "{" + strings.Join(members, ",") + "}"
}

func toJSON(object any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // there is no page around it
	encoder.Encode(object)       // of text and numbers, which cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// field is that of the response, "" without one.
func (m *measure) field(name string) string {
	if m.response == nil {
		return ""
	}
	return m.response.Headers().Get(name)
}

func (m *measure) fields() int64 {
	if m.response == nil {
		return 0
	}
	return int64(m.response.Headers().Len())
}

func (m *measure) message() string {
	if m.failure == nil {
		return ""
	}
	return m.failure.text
}

func (m *measure) code() int {
	if m.failure == nil {
		return successful
	}
	return m.failure.code
}

func (m *measure) version() string {
	if m.response == nil {
		return "0"
	}
	return strings.TrimPrefix(versionName(m.response.Protocol), "HTTP/")
}

// status is "000" when no response came.
func (m *measure) status() string {
	if m.response == nil {
		return "000"
	}
	return fmt.Sprintf("%03d", m.response.Status)
}

func speed(n int64, d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64(float64(n) / d.Seconds())
}

func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr) // "" before there is a connection
	return host
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}
