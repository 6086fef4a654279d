// Package http1 runs the response tests of llhttp against a reader of HTTP/1 responses. llhttp is one strict implementation and not the
// standard, so each difference is a decision with its reason, kept in testdata/results.txt, and not a mark lost.
package http1

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Message is what a reader found in the first response on a connection.
type Message struct {
	Status    int
	Reason    string
	Headers   []string // alternating names and values
	Body      string
	KeepAlive bool // another exchange may follow, for all that the response says
}

// Reader reads the first response of a connection that delivers raw and then ends, to a HEAD request or a GET.
type Reader func(raw []byte, head bool) (Message, error)

// Case is one input.
type Case struct {
	Name string
	Raw  []byte
	Head bool
	// Verdict is llhttp's about the first response: accept, reject or truncated.
	Verdict string
	Why     string // of a rejection
	want    caseMessage
}

type caseMessage struct {
	Status    int
	Reason    string
	Headers   [][2]string
	Body      string // base64
	Complete  bool
	UntilEOF  bool
	KeepAlive *bool
	Protocol  string
}

// Load reads the cases of strict HTTP.
func Load(file string) ([]Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		ID, Name, Type, Raw, Verdict string
		Head                         bool
		RejectIn                     *int
		Error                        *struct{ Reason string }
		Messages                     []caseMessage
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	var cases []Case
	for _, row := range rows {
		if row.Type != "response" && row.Type != "response-finish" || len(row.Messages) == 0 || row.Messages[0].Protocol != "HTTP" && row.Verdict != "reject" {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(row.Raw)
		if err != nil {
			return nil, err
		}
		c := Case{Name: row.ID + " " + row.Name, Raw: raw, Head: row.Head, Verdict: "accept", want: row.Messages[0]}
		switch {
		case row.Verdict == "reject" && c.want.Complete && (row.RejectIn == nil || *row.RejectIn > 0): // what follows was rejected
		case row.Verdict == "reject":
			c.Verdict, c.Why = "reject", row.Error.Reason
		case !c.want.Complete && !c.want.UntilEOF:
			c.Verdict = "truncated"
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Outcome is one case decided.
type Outcome struct {
	Case      Case
	Got       string // what the reader did
	Different string // how that differs from llhttp, "" if it does not
}

// Run puts a case to a reader.
func Run(c Case, read Reader) Outcome {
	m, err := read(c.Raw, c.Head)
	o := Outcome{Case: c, Got: fmt.Sprintf("accept %d %q, body %q, keep alive %v", m.Status, m.Reason, m.Body, m.KeepAlive)}
	if err != nil {
		o.Got = "refuse: " + err.Error()
	}
	switch {
	case c.Verdict == "accept" && err != nil:
		o.Different = "refuses what llhttp accepts"
	case c.Verdict == "accept":
		o.Different = c.compare(m)
	case err == nil:
		o.Different = "accepts what llhttp takes for a " + c.Verdict
	}
	return o
}

func (c *Case) compare(m Message) string {
	body, err := base64.StdEncoding.DecodeString(c.want.Body)
	switch {
	case err != nil:
		return "the body of the case cannot be decoded"
	case m.Status != c.want.Status:
		return fmt.Sprintf("status %d, llhttp %d", m.Status, c.want.Status)
	case m.Reason != c.want.Reason:
		return fmt.Sprintf("reason %q, llhttp %q", m.Reason, c.want.Reason)
	case m.Body != string(body):
		return fmt.Sprintf("body %q, llhttp %q", m.Body, body)
	}
	for _, h := range c.want.Headers {
		found := false
		for i := 0; i < len(m.Headers); i += 2 {
			found = found || strings.EqualFold(m.Headers[i], h[0]) && m.Headers[i+1] == strings.TrimSpace(h[1])
		}
		if !found {
			return fmt.Sprintf("without header %q", h)
		}
	}
	if c.want.KeepAlive != nil && *c.want.KeepAlive != m.KeepAlive {
		return fmt.Sprintf("keep alive %v, llhttp %v", m.KeepAlive, *c.want.KeepAlive)
	}
	return ""
}
