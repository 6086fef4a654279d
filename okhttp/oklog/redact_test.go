package oklog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
)

func TestRedact(t *testing.T) {
	const blocks = "%E2%96%88%E2%96%88"
	req := newRequest(t, "GET", "http://user:s3cret@example.com/a/b@c?&Token=s3cret&a=%20+b&c&t%6fken=s3cret&token&=x&%zz=1#token=s3cret&x",
		okhttp.AddHeader("Authorization", "Basic s3cret"), okhttp.AddHeader("cookie", "s3cret"), okhttp.AddHeader("Proxy-Authorization", "s3cret"),
		okhttp.AddHeader("x-api-KEY", "s3cret"), okhttp.AddHeader("X-Other", "seen"), okhttp.AddHeader("Referer", "https://u:s3cret@other.example?token=s3cret"))
	headers := []string{
		"Set-Cookie", "s3cret", "SET-COOKIE", "s3cret", "X-Api-Key", "s3cret",
		"Location", "/next?token=s3cret&d=1#token=s3cret", "Content-Location", "//u@example.com/x?y",
	}
	r, _, err := logged(t, oklog.Config{Level: oklog.Headers, RedactHeaders: []string{"X-API-Key"}, RedactQuery: []string{"tOKEN"}}, req, answer(204, "", headers, nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	url := "http://example.com/a/b@c?&Token=" + blocks + "&a=%20+b&c&t%6fken=" + blocks + "&token&=x&%zz=1#token=" + blocks + "&x"
	r.want(t, "--> GET "+url, "Authorization: ██", "cookie: ██", "Proxy-Authorization: ██", "x-api-KEY: ██", "X-Other: seen",
		"Referer: https://other.example?token="+blocks, "--> END GET",
		"<-- 204 "+url+" (Tms)", "Set-Cookie: ██", "SET-COOKIE: ██", "X-Api-Key: ██",
		"Location: /next?token="+blocks+"&d=1#token="+blocks, "Content-Location: //example.com/x?y", "<-- END HTTP")
}

func TestLevels(t *testing.T) {
	r := new(recorder)
	l := oklog.New(r.print, nil)
	c := newClient(t, okhttp.WithInterceptor(l, answer(204, "", nil, nil, 0)))
	do := func() {
		t.Helper()
		resp, err := c.Do(context.Background(), newRequest(t, "GET", "http://example.com/"))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	do()
	r.want(t)
	l.SetLevel(oklog.Basic)
	do()
	r.want(t, "--> GET http://example.com/", "<-- 204 http://example.com/ (Tms, 0-byte body)")
	for level, name := range map[oklog.Level]string{oklog.None: "None", oklog.Basic: "Basic", oklog.Headers: "Headers", oklog.Body: "Body", 9: "Level(?)"} {
		if l.SetLevel(level); l.Level() != level || level.String() != name {
			t.Errorf("level %v, want %s", l.Level(), name)
		}
	}
}

// The level is read once per call: one that is changed in between counts for the next.
func TestLevelChangesDuringACall(t *testing.T) {
	r := new(recorder)
	l := oklog.New(r.print, &oklog.Config{Level: oklog.Basic})
	changes := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		l.SetLevel(oklog.None)
		return chain.Proceed(ctx, chain.Request())
	})
	c := newClient(t, okhttp.WithInterceptor(l, changes, answer(204, "", nil, nil, 0)))
	resp, err := c.Do(context.Background(), newRequest(t, "GET", "http://example.com/"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	r.want(t, "--> GET http://example.com/", "<-- 204 http://example.com/ (Tms, 0-byte body)")
}

func TestConcurrent(t *testing.T) {
	r := new(recorder)
	l := oklog.New(r.print, &oklog.Config{Level: oklog.Body})
	c := newClient(t, okhttp.WithInterceptor(l, okhttp.InterceptorFunc(func(_ context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		return okhttp.NewResponse(chain.Request(), 200, okhttp.ResponseBodyFrom("", -1, source("x"))), nil
	})))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			resp, err := c.Do(context.Background(), newRequest(t, "GET", "http://example.com/"))
			if err != nil {
				t.Error(err)
				return
			}
			l.SetLevel(oklog.Body)
			_ = resp.Body.Close()
		})
	}
	wg.Wait()
	if len(r.lines) != 8*6 {
		t.Errorf("%d lines, want %d", len(r.lines), 8*6)
	}
}

func TestSlog(t *testing.T) {
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelWarn} {
		var out bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		body := &endless{text: "x"}
		if level == slog.LevelInfo {
			body = nil
		}
		to := answer(200, "OK", nil, source("Hello!"), 6)
		if body != nil {
			to = answer(200, "OK", nil, body, -1)
		}
		c := newClient(t, okhttp.WithInterceptor(oklog.NewSlog(logger, &oklog.Config{Level: oklog.Body}), to))
		resp, err := c.Do(context.Background(), newRequest(t, "GET", "http://example.com/"))
		if err != nil {
			t.Fatal(err)
		}
		got := millis.ReplaceAllString(out.String(), "(Tms")
		want := ""
		if level == slog.LevelInfo {
			want = strings.Join([]string{
				`level=INFO msg="--> GET http://example.com/"`, `level=INFO msg="--> END GET"`, `level=INFO msg="<-- 200 OK http://example.com/ (Tms)"`,
				`level=INFO msg=Hello!`, `level=INFO msg="<-- END HTTP (Tms, 6-byte body)"`, "",
			}, "\n")
		} else if body.read != 0 {
			t.Error("the body was read for a logger that does not want it")
		}
		if got != want {
			t.Errorf("logged\n%s\nwant\n%s", got, want)
		}
		_ = resp.Body.Close()
	}
}
