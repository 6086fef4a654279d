package httpcache

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func chk(setup, ok bool, format string, a ...any) *failure {
	if ok {
		return nil
	}
	n := "Assertion"
	if setup {
		n = "Setup"
	}
	return &failure{n, fmt.Sprintf(format, a...)}
}

func (r *Req) isSetup(member string) bool { return r.Setup || slices.Contains(r.SetupTests, member) }

func checkResponse(r *Req, n int, x *resp, id string) *failure {
	num, hasNum := x.int("Server-Request-Count")
	if x.has("Request-Numbers") {
		seen := map[string]bool{}
		for _, v := range strings.Fields(x.h.Get("Request-Numbers")) {
			if seen[v] {
				return chk(true, false, "retry")
			}
			seen[v] = true
		}
	}
	ts := r.isSetup("expected_type")
	switch r.ExpType {
	case "cached":
		if !(x.status == 304 && !hasNum) {
			if f := chk(ts, hasNum && num < n, "Response %d does not come from cache", n); f != nil {
				return f
			}
		}
	case "not_cached":
		if f := chk(ts, hasNum && num == n, "Response %d comes from cache", n); f != nil {
			return f
		}
	}
	want := 200
	setup := true
	switch {
	case len(r.ExpStatus) > 0:
		if string(r.ExpStatus) == "null" {
			want = x.status
		} else {
			json.Unmarshal(r.ExpStatus, &want)
		}
		setup = r.isSetup("expected_status")
	case len(r.RespStatus) > 0:
		want = int(r.RespStatus[0].(float64))
	case x.status == 999:
		return chk(ts, false, "Request %d should have been conditional, but it was not.", n)
	}
	if f := chk(setup, x.status == want, "Response %d status is %d, not %d", n, x.status, want); f != nil {
		return f
	}
	now, _ := strconv.ParseInt(x.h.Get("Server-Now"), 10, 64)
	es := r.isSetup("expected_response_headers")
	for _, e := range r.ExpRespHeaders {
		switch h := e.(type) {
		case string:
			if f := chk(es, x.has(h), "Response %d %s header not present.", n, h); f != nil {
				return f
			}
		case []any:
			name := h[0].(string)
			if len(h) > 2 {
				if f := chk(es, x.has(name), "Response %d %s header not present.", n, name); f != nil {
					return f
				}
				v := x.get(name)
				ok, msg := false, ""
				if h[1] == "=" {
					w := x.get(h[2].(string))
					ok, msg = v == w, fmt.Sprintf("match %v (%s)", h[2], w)
				} else {
					lim := h[2].(float64)
					i := leadingInt(v)
					ok, msg = i != nil && float64(*i) > lim, fmt.Sprintf("be bigger than %v", lim)
				}
				if f := chk(es, ok, "Response %d header %s is %s, should %s", n, name, v, msg); f != nil {
					return f
				}
			} else {
				w := fixup(h, now, x.h.Get("Server-Base-Url"), r)
				if f := chk(es, x.has(name) && x.get(name) == w, "Response %d header %s is %q, not %q", n, name, x.get(name), w); f != nil {
					return f
				}
			}
		}
	}
	ms := r.isSetup("expected_response_headers_missing")
	for _, e := range r.ExpRespMissing {
		if h, ok := e.(string); ok {
			if f := chk(ms, !x.has(h), "Response %d includes unexpected header %s: %q", n, h, x.get(h)); f != nil {
				return f
			}
		} // the [name, value] form never fails in the suite's own engine
	}
	if r.hasExpInterim {
		is := r.isSetup("expected_interim_responses")
		for i, m := range r.ExpInterim {
			var a []json.RawMessage
			json.Unmarshal(m, &a)
			var code int
			json.Unmarshal(a[0], &code)
			if i >= len(x.interim) {
				return chk(is, false, "Interim response %d not received", i+1)
			}
			if f := chk(is, x.interim[i].code == code, "Interim response %d status is %d, not %d", i+1, x.interim[i].code, code); f != nil {
				return f
			}
			if len(a) > 1 {
				var hs [][2]string
				json.Unmarshal(a[1], &hs)
				for _, h := range hs {
					if f := chk(is, len(x.interim[i].h.Values(h[0])) > 0, "Interim response %d %s header not present.", i+1, h[0]); f != nil {
						return f
					}
				}
			}
		}
		if f := chk(is, len(x.interim) == len(r.ExpInterim), "Received %d interim response(s), expected %d", len(x.interim), len(r.ExpInterim)); f != nil {
			return f
		}
	}
	switch {
	case r.CheckBody != nil && !*r.CheckBody:
	case len(r.ExpRespText) > 0:
		if string(r.ExpRespText) != "null" {
			var w string
			json.Unmarshal(r.ExpRespText, &w)
			return chk(r.isSetup("expected_response_text"), x.body == w, "Response body is %q, not %q", x.body, w)
		}
	case r.hasRespBody && !r.hasRespBodyNull:
		return chk(true, x.body == *r.RespBody, "Response body is %q, not %q", x.body, *r.RespBody)
	case x.status != 204 && x.status != 304 && r.Method != "HEAD":
		return chk(true, x.body == id, "Response body is %q, not %q", x.body, id)
	}
	return nil
}

func leadingInt(s string) *int {
	s = strings.TrimSpace(s)
	e := 0
	for e < len(s) && (s[e] >= '0' && s[e] <= '9' || e == 0 && (s[e] == '-' || s[e] == '+')) {
		e++
	}
	i, err := strconv.Atoi(s[:e])
	if err != nil {
		return nil
	}
	return &i
}

func checkServer(t *Test, rs []*resp, log []seen, o Options) *failure {
	k := 0
	for i := range t.Requests {
		r := &t.Requests[i]
		var sr *seen
		if k < len(log) {
			sr = &log[k]
		}
		n := i + 1
		ts := r.isSetup("expected_type")
		if r.ExpType == "cached" {
			continue
		}
		if r.ExpType == "not_cached" {
			if sr == nil {
				return &failure{"TypeError", "server saw fewer requests"}
			}
			if f := chk(ts, sr.num == n, "Response %d comes from cache (%d on server)", n, sr.num); f != nil {
				return f
			}
		}
		k++
		vh := map[string]string{"etag_validated": "if-none-match", "lm_validated": "if-modified-since"}[r.ExpType]
		if vh != "" {
			if f := chk(ts, sr != nil, "request %d wasn't sent to server", n); f != nil {
				return f
			}
			_, ok := sr.headers[vh]
			if f := chk(ts, ok, "request %d doesn't have %s header", n, vh); f != nil {
				return f
			}
		}
		if sr == nil && (len(r.ExpReqHeaders) > 0 || len(r.ExpReqMissing) > 0 || r.ExpMethod != "") {
			return &failure{"TypeError", "server saw fewer requests"}
		}
		es := r.isSetup("expected_request_headers")
		for _, e := range r.ExpReqHeaders {
			if h, ok := e.(string); ok {
				_, has := sr.headers[strings.ToLower(h)]
				if f := chk(es, has, "Request %d %s header not present.", n, h); f != nil {
					return f
				}
			} else {
				h := e.([]any)
				v, has := sr.headers[strings.ToLower(h[0].(string))]
				if f := chk(es, has && v == fmt.Sprint(h[1]), "Request %d header %v is %q, not %v", n, h[0], v, h[1]); f != nil {
					return f
				}
			}
		}
		ms := r.isSetup("expected_request_headers_missing")
		for _, e := range r.ExpReqMissing {
			if h, ok := e.(string); ok {
				_, has := sr.headers[strings.ToLower(h)]
				if f := chk(ms, !has, "Request %d %s header present.", n, h); f != nil {
					return f
				}
			} else {
				h := e.([]any)
				v, has := sr.headers[strings.ToLower(h[0].(string))]
				if f := chk(ms, !has || v != fmt.Sprint(h[1]), "Request %d header %v is %q", n, h[0], v); f != nil {
					return f
				}
			}
		}
		if sr != nil {
			for _, h := range sr.saved {
				l := strings.ToLower(h[0])
				if l == "date" || o.Private && (l == "set-cookie" || l == "set-cookie2") {
					continue
				}
				if f := chk(true, rs[i].has(h[0]) && rs[i].get(h[0]) == h[1], "Response %d header %s is %q, not %q", n, h[0], rs[i].get(h[0]), h[1]); f != nil {
					return f
				}
			}
		}
		if r.ExpMethod != "" {
			if f := chk(r.isSetup("expected_method"), sr.method == r.ExpMethod, "Request %d had method %s, not %s", n, sr.method, r.ExpMethod); f != nil {
				return f
			}
		}
	}
	return nil
}
