package http1

import (
	"errors"
	"io"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// OkHTTP reads with the codec of this project.
func OkHTTP(raw []byte, head bool) (m Message, err error) {
	in := new(okio.Buffer)
	if _, err := in.Write(raw); err != nil {
		return m, err
	}
	c := http1.NewClientConn(in, okio.Discard(), http1.Limits{})
	method := "GET"
	if head {
		method = "HEAD"
	}
	if err := errors.Join(c.WriteHead(method, "/", nil), c.FinishRequest()); err != nil {
		return m, err
	}
	h, err := c.ReadHead()
	if err != nil {
		return m, err
	}
	m = Message{Status: h.Status, Reason: h.Reason, Headers: h.Fields}
	if h.Informational() || h.Status == 101 {
		m.KeepAlive = true
		return m, nil
	}
	body, err := c.Body()
	if err != nil {
		return m, err
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return Message{}, err
	}
	m.Body = string(content)
	c.Source().Buffer().Clear() // what follows the first response is not part of the question
	m.KeepAlive = c.Reusable()
	return m, nil
}
