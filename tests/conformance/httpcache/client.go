package httpcache

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"
)

type resp struct {
	status  int
	h       http.Header
	body    string
	interim []struct {
		code int
		h    textproto.MIMEHeader
	}
}

func (r *resp) has(n string) bool   { _, ok := r.h[textproto.CanonicalMIMEHeaderKey(n)]; return ok }
func (r *resp) get(n string) string { return strings.Join(r.h.Values(n), ", ") }
func (r *resp) int(n string) (int, bool) {
	i, err := strconv.Atoi(strings.TrimSpace(r.h.Get(n)))
	return i, err == nil
}

func (s *origin) test(t *Test, rt http.RoundTripper, base string, o Options) *failure {
	b := make([]byte, 16)
	rand.Read(b)
	id := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	u := &run{reqs: t.Requests, vals: make([][][2]string, len(t.Requests))}
	s.mu.Lock()
	s.cfg[id] = u
	s.mu.Unlock()
	var rs []*resp
	for i := range t.Requests {
		r := &t.Requests[i]
		uu := base + "/test/" + id
		if r.Filename != "" {
			uu += "/" + r.Filename
		}
		if r.QueryArg != "" {
			uu += "?" + r.QueryArg
		}
		x, err := do(t, r, i, uu, rs, rt, o)
		if err != nil {
			var f *failure
			if errors.As(err, &f) {
				return f
			}
			if errors.Is(err, context.DeadlineExceeded) {
				return &failure{"AbortError", "timed out"}
			}
			return &failure{"TypeError", err.Error()}
		}
		rs = append(rs, x)
		if o.Trace != nil {
			fmt.Fprintf(o.Trace, "response %d: %d %v %q\n", i+1, x.status, x.h, x.body)
		}
		if f := checkResponse(r, i+1, x, id); f != nil {
			return f
		}
		if r.PauseAfter {
			time.Sleep(o.Pause)
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if o.Trace != nil {
		fmt.Fprintf(o.Trace, "origin saw: %+v\n", u.log)
	}
	return checkServer(t, rs, u.log, o)
}

func do(t *Test, r *Req, i int, uu string, rs []*resp, rt http.RoundTripper, o Options) (*resp, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	x := &resp{}
	var mu sync.Mutex
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		mu.Lock()
		x.interim = append(x.interim, struct {
			code int
			h    textproto.MIMEHeader
		}{code, h})
		mu.Unlock()
		return nil
	}})
	method := r.Method
	if method == "" {
		method = "GET"
	}
	var body io.Reader
	if r.ReqBody != nil {
		body = strings.NewReader(*r.ReqBody)
	}
	q, err := http.NewRequestWithContext(ctx, method, uu, body)
	if err != nil {
		return nil, err
	}
	for _, h := range r.ReqHeaders {
		v := fmt.Sprint(h[1])
		if f, ok := h[1].(float64); ok {
			v = strconv.FormatFloat(f, 'f', -1, 64)
			if r.MagicIMS && strings.EqualFold(h[0].(string), "if-modified-since") && len(rs) > 0 {
				if now, err := strconv.ParseInt(rs[len(rs)-1].h.Get("Server-Now"), 10, 64); err == nil {
					v = fixup(h, now, "", r)
				}
			}
		}
		q.Header.Add(h[0].(string), v)
	}
	if r.Cache == "no-cache" && q.Header.Get("Cache-Control") == "" {
		q.Header.Set("Cache-Control", "max-age=0") // what fetch does for that mode
	}
	q.Header.Set("Test-ID", t.ID)
	q.Header.Set("Req-Num", strconv.Itoa(i+1))
	if o.Trace != nil {
		fmt.Fprintf(o.Trace, "request %d: %s %s %v\n", i+1, method, uu, q.Header)
	}
	p, err := rt.RoundTrip(q)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		x.status, x.h = http.StatusBadGateway, http.Header{}
		return x, nil
	}
	defer p.Body.Close()
	bb, err := io.ReadAll(p.Body)
	if err != nil {
		return nil, err
	}
	x.status, x.h, x.body = p.StatusCode, p.Header, string(bb)
	return x, nil
}
