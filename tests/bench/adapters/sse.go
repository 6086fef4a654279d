package adapters

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/okhttp-go/ok/tests/bench"

	r3 "github.com/r3labs/sse/v2"
	tm "github.com/tmaxmax/go-sse"
	"gopkg.in/cenkalti/backoff.v1"
)

func init() {
	bench.Register("floor-sse", floorSSE{})
	bench.Register("r3labs", r3SSE{})
	bench.Register("tmaxmax", tmSSE{})
	bench.Register("proto-sse", protoSSE{})
}

func sseGet(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	return http.DefaultClient.Do(req)
}

// floor: line scan in place, no strings made.
type floorSSE struct{}

func (floorSSE) ReadSSE(ctx context.Context, url string, n int) (ev int, data int64, err error) {
	resp, err := sseGet(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	br := bufio.NewReaderSize(resp.Body, 64<<10)
	d := 0
	for {
		l, err := br.ReadSlice('\n')
		if err != nil {
			return ev, data, nil
		}
		l = l[:len(l)-1]
		if len(l) == 0 {
			if d > 0 {
				ev++
				data += int64(d)
				d = 0
			}
			continue
		}
		if bytes.HasPrefix(l, []byte("data: ")) {
			d += len(l) - 6
		}
	}
}

// proto-sse: a full-rules parser that hands out strings (id and event are
// interned when unchanged, data is one string per event).
type protoSSE struct{}

func (protoSSE) ReadSSE(ctx context.Context, url string, n int) (ev int, total int64, err error) {
	resp, err := sseGet(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	br := bufio.NewReaderSize(resp.Body, 64<<10)
	var id, typ string
	var data []byte
	has := false
	for {
		l, err := br.ReadSlice('\n')
		if err != nil {
			return ev, total, nil
		}
		l = l[:len(l)-1]
		if k := len(l); k > 0 && l[k-1] == '\r' {
			l = l[:k-1]
		}
		if len(l) == 0 {
			if has {
				s := string(data[:len(data)-1])
				total += int64(len(s))
				ev++
				_, _ = id, typ
			}
			data, has = data[:0], false
			continue
		}
		f, v := l, []byte(nil)
		if c := bytes.IndexByte(l, ':'); c == 0 {
			continue
		} else if c > 0 {
			f, v = l[:c], l[c+1:]
			if len(v) > 0 && v[0] == ' ' {
				v = v[1:]
			}
		}
		switch string(f) {
		case "data":
			data = append(append(data, v...), '\n')
			has = true
		case "event":
			if typ != string(v) {
				typ = string(v)
			}
		case "id":
			if id != string(v) {
				id = string(v)
			}
		}
	}
}

type r3SSE struct{}

func (r3SSE) ReadSSE(ctx context.Context, url string, n int) (ev int, data int64, err error) {
	c := r3.NewClient(url)
	c.ReconnectStrategy = &backoff.StopBackOff{}
	err = c.SubscribeRawWithContext(ctx, func(m *r3.Event) {
		ev++
		data += int64(len(m.Data))
	})
	return
}

type tmSSE struct{}

func (tmSSE) ReadSSE(ctx context.Context, url string, n int) (ev int, data int64, err error) {
	resp, err := sseGet(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	for e, err := range tm.Read(resp.Body, nil) {
		if err != nil {
			if strings.Contains(err.Error(), "EOF") {
				return ev, data, nil
			}
			return ev, data, err
		}
		ev++
		data += int64(len(e.Data))
	}
	return
}
