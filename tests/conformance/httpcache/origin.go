package httpcache

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

type seen struct {
	num     int
	method  string
	headers map[string]string // lower-case name -> joined values
	saved   [][2]string
}

type run struct {
	mu   sync.Mutex
	reqs []Req
	vals [][][2]string // response headers after date/location fix-up, per request
	log  []seen
}

type origin struct {
	mu  sync.Mutex
	cfg map[string]*run
}

func (s *origin) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			br := bufio.NewReader(c)
			for {
				req, err := http.ReadRequest(br)
				if err != nil {
					return
				}
				io.Copy(io.Discard, req.Body)
				if !s.one(c, req) {
					return
				}
			}
		}()
	}
}

var dateHeaders = []string{"date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"}

func httpDate(now int64, delta float64, rfc850 bool) string {
	t := time.UnixMilli(now + int64(delta*1000)).UTC()
	if rfc850 {
		return t.Format("Monday, 02-Jan-06 15:04:05 GMT")
	}
	return t.Format(http.TimeFormat)
}

// fixup turns a [name, value, ...] entry into its string value.
func fixup(h []any, now int64, base string, r *Req) string {
	name := strings.ToLower(h[0].(string))
	var v string
	switch x := h[1].(type) {
	case string:
		v = x
	case float64:
		if slices.Contains(dateHeaders, name) && x == float64(int64(x)) {
			v = httpDate(now, x, slices.Contains(r.RFC850, name))
		} else {
			v = strconv.FormatFloat(x, 'f', -1, 64)
		}
	case nil:
		v = ""
	default:
		v = fmt.Sprint(x)
	}
	if r.MagicLocations && (name == "location" || name == "content-location") {
		if v != "" {
			v = base + "/" + v
		} else {
			v = base
		}
	}
	return v
}

func get(h [][2]string, name string) (string, bool) {
	for i := len(h) - 1; i >= 0; i-- { // the table's own helper keeps the last
		if strings.EqualFold(h[i][0], name) {
			return h[i][1], true
		}
	}
	return "", false
}

func simple(c net.Conn, code int, msg string) bool {
	fmt.Fprintf(c, "HTTP/1.1 %d X\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", code, len(msg), msg)
	return true
}

func (s *origin) one(c net.Conn, req *http.Request) bool {
	seg := strings.Split(strings.TrimPrefix(req.URL.Path, "/"), "/")
	if len(seg) < 2 || seg[0] != "test" {
		return simple(c, 404, "not found")
	}
	s.mu.Lock()
	u := s.cfg[seg[1]]
	s.mu.Unlock()
	if u == nil {
		return simple(c, 409, "no such test")
	}
	n, _ := strconv.Atoi(req.Header.Get("Req-Num"))
	cli := n
	u.mu.Lock()
	if n == 0 {
		n = len(u.log) + 1
	}
	u.mu.Unlock()
	if n > len(u.reqs) {
		return simple(c, 409, "request not anticipated")
	}
	r := &u.reqs[n-1]
	if r.ResponsePause > 0 {
		time.Sleep(time.Duration(r.ResponsePause * float64(time.Second)))
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	hdr := map[string]string{"host": req.Host}
	for k, v := range req.Header {
		hdr[strings.ToLower(k)] = strings.Join(v, ", ")
	}
	now := time.Now().UnixMilli()
	for _, m := range r.Interim {
		var a []json.RawMessage
		json.Unmarshal(m, &a)
		var code int
		json.Unmarshal(a[0], &code)
		b := fmt.Sprintf("HTTP/1.1 %d %s\r\n", code, http.StatusText(code))
		if len(a) > 1 {
			var hs [][2]string
			json.Unmarshal(a[1], &hs)
			for _, h := range hs {
				b += h[0] + ": " + h[1] + "\r\n"
			}
		}
		io.WriteString(c, b+"\r\n")
	}
	code, text := 200, "OK"
	if len(r.RespStatus) > 0 {
		code = int(r.RespStatus[0].(float64))
		if len(r.RespStatus) > 1 {
			text, _ = r.RespStatus[1].(string)
		}
	}
	if strings.HasSuffix(r.ExpType, "validated") {
		var prev [][2]string
		if n >= 2 {
			prev = u.vals[n-2]
			if prev == nil { // previous step never reached the origin
				for _, h := range u.reqs[n-2].RespHeaders {
					prev = append(prev, [2]string{h[0].(string), fmt.Sprint(h[1])})
				}
			}
		}
		ok := false
		if v, has := get(prev, "Last-Modified"); has && v != "" && hdr["if-modified-since"] == v {
			ok = true
		}
		if v, has := get(prev, "ETag"); has && v != "" && hdr["if-none-match"] == v {
			ok = true
		}
		if ok {
			code, text = 304, "Not Modified"
		} else {
			code, text = 999, "304 Not Generated"
		}
	}
	base := req.URL.RequestURI()
	h := [][2]string{{"Server-Base-Url", base}, {"Server-Request-Count", strconv.Itoa(len(u.log) + 1)}, {"Client-Request-Count", strconv.Itoa(cli)}, {"Server-Now", strconv.FormatInt(now, 10)}}
	if u.vals[n-1] == nil {
		v := [][2]string{}
		for _, e := range r.RespHeaders {
			v = append(v, [2]string{e[0].(string), fixup(e, now, base, r)})
		}
		u.vals[n-1] = v
	}
	var saved [][2]string
	for i, e := range r.RespHeaders {
		kv := u.vals[n-1][i]
		h = append(h, kv)
		if len(e) < 3 || e[2] == true {
			var vals []string
			for _, x := range h {
				if strings.EqualFold(x[0], kv[0]) {
					vals = append(vals, x[1])
				}
			}
			joined := strings.Join(vals, ", ")
			for j := range saved {
				if strings.EqualFold(saved[j][0], kv[0]) {
					saved[j][1] = joined
					joined = ""
					break
				}
			}
			if joined != "" || len(vals) == 1 {
				saved = append(saved, [2]string{kv[0], joined})
			}
		}
	}
	has := func(n string) bool { _, ok := get(h, n); return ok }
	if !has("content-type") {
		h = append(h, [2]string{"Content-Type", "text/plain"})
	}
	u.log = append(u.log, seen{cli, req.Method, hdr, saved})
	nums := make([]string, len(u.log))
	for i, x := range u.log {
		nums[i] = strconv.Itoa(x.num)
	}
	h = append(h, [2]string{"Request-Numbers", strings.Join(nums, " ")})
	if r.Disconnect {
		c.Close()
		return false
	}
	if !has("date") {
		h = append(h, [2]string{"Date", time.UnixMilli(now).UTC().Format(http.TimeFormat)})
	}
	body := seg[1]
	if r.RespBody != nil && *r.RespBody != "" {
		body = *r.RespBody
	}
	noBody := code == 204 || code == 304
	close := false
	if v, ok := get(h, "connection"); ok && strings.Contains(strings.ToLower(v), "close") {
		close = true
	}
	chunked := false
	if v, ok := get(h, "transfer-encoding"); ok {
		if chunked = strings.EqualFold(v, "chunked"); !chunked {
			close = true
		}
	}
	if !noBody && !has("content-length") && !has("transfer-encoding") {
		h = append(h, [2]string{"Content-Length", strconv.Itoa(len(body))})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", code, text)
	for _, x := range h {
		b.WriteString(x[0] + ": " + x[1] + "\r\n")
	}
	b.WriteString("\r\n")
	if !noBody && req.Method != "HEAD" {
		if chunked {
			fmt.Fprintf(&b, "%x\r\n%s\r\n0\r\n\r\n", len(body), body)
		} else {
			b.WriteString(body)
		}
	}
	io.WriteString(c, b.String())
	return !close
}
