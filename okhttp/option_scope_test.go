package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scopes is where an option is legal. Every option is legal for a client.
type scope uint8

const (
	clientOnly scope = iota // does not compile elsewhere
	upToCall                // a call acts on it before its interceptors run
	upToChain               // an application interceptor may change it for the rest of the call
)

// allOptions has one of each.
func allOptions() map[string]struct {
	option Option
	scope  scope
} {
	type o = struct {
		option Option
		scope  scope
	}
	return map[string]o{
		"WithCallTimeout":              {WithCallTimeout(time.Hour), upToCall},
		"WithConnectTimeout":           {WithConnectTimeout(time.Hour), upToChain},
		"WithReadTimeout":              {WithReadTimeout(time.Hour), upToChain},
		"WithWriteTimeout":             {WithWriteTimeout(time.Hour), upToChain},
		"WithFollowRedirects":          {WithFollowRedirects(true), upToCall},
		"WithFollowTLSRedirects":       {WithFollowTLSRedirects(true), upToCall},
		"WithSensitiveHeaders":         {WithSensitiveHeaders("X"), upToCall},
		"WithRetryOnConnectionFailure": {WithRetryOnConnectionFailure(true), upToChain},
		"WithMaxResponseHeaders":       {WithMaxResponseHeaders(1 << 10), upToChain},
		"WithMaxDecodedBody":           {WithMaxDecodedBody(1 << 10), upToChain},
		"WithDNS":                      {WithDNS(valueDNS("10.0.0.1")), upToChain},
		"WithDialer":                   {nil, upToChain}, // of the world; set by the test
		"WithTLSConfig":                {WithTLSConfig(&tls.Config{}), upToChain},
		"WithProxy":                    {WithProxy(Direct), upToChain},
		"WithProxySelector":            {WithProxySelector(ProxyList(nil)), upToChain},
		"WithProxyAuthenticator":       {WithProxyAuthenticator(nil), upToChain},
		"WithHostnameVerifier":         {WithHostnameVerifier(nil), upToChain},
		"WithCertificatePinner":        {WithCertificatePinner(nil), upToChain},
		"WithConnectionSpecs":          {WithConnectionSpecs(), upToChain},
		"WithCleartext":                {WithCleartext(nil), upToChain},
		"WithProtocols":                {WithProtocols(HTTP1Only), upToChain},
		"WithHTTP2":                    {WithHTTP2(HTTP2Config{}), clientOnly},
		"WithPingInterval":             {WithPingInterval(0), clientOnly},
		"WithFastFallback":             {WithFastFallback(false), upToChain},
		"WithPool":                     {WithPool(nil), upToChain},
		"WithContinueWait":             {WithContinueWait(time.Second), upToChain},
		"WithAuthenticator":            {WithAuthenticator(nil), upToChain},
		"WithCookieJar":                {WithCookieJar(nil), upToChain},
		"WithCache":                    {WithCache(nil), upToChain},
		"WithRetryPolicy":              {WithRetryPolicy(RetryPolicy{}), upToChain},
		"WithInterceptor":              {WithInterceptor(), clientOnly},
		"WithNetworkInterceptor":       {WithNetworkInterceptor(), clientOnly},
		"WithEventListener":            {WithEventListener(nil), clientOnly},
		"WithDispatcher":               {WithDispatcher(nil), clientOnly},
		"WithLogger":                   {WithLogger(nil), clientOnly},
		"WithLeakStacks":               {WithLeakStacks(true), upToCall},
	}
}

// Each option works where it is legal, and is refused by its name where it is not.
func TestOptionScopesOfAll(t *testing.T) {
	for name, o := range allOptions() {
		t.Run(name, func(t *testing.T) {
			refused := func(t *testing.T, err error, want bool) {
				t.Helper()
				var ie *InterceptorError
				switch {
				case !want && err != nil:
					t.Errorf("error %v", err)
				case want && (!errors.As(err, &ie) || !strings.Contains(ie.Detail, "used "+name+", ") || !strings.Contains(ie.Interceptor, "TestOptionScopesOfAll")):
					t.Errorf("error %v, want one that names the interceptor and %s", err, name)
				}
			}
			inWorld(t, func(t *testing.T, w *world) {
				opt := o.option
				if name == "WithDialer" {
					opt = WithDialer(&w.network)
				}
				w.serve("server.test", "10.0.0.1", repeat(4, answer(okText("x"), okText("x"), okText("x"), okText("x")))...)
				derived := w.client.With(opt)
				defer derived.Close()
				get := func(c *Client, opts ...CallOption) error {
					resp, err := c.Get(t.Context(), "http://server.test/", opts...)
					if err == nil {
						resp.Body.Close()
					}
					return err
				}
				refused(t, get(derived), false)
				call, ok := opt.(CallOption)
				if ok != (o.scope != clientOnly) {
					t.Fatalf("is a CallOption: %v", ok)
				}
				if !ok {
					return
				}
				refused(t, get(w.client, call), false)
				with := InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
					return c.With(nil, WithReadTimeout(time.Second), call).Proceed(ctx, c.Request())
				})
				refused(t, get(w.client.With(WithInterceptor(with))), o.scope != upToChain)
				alone := InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
					return c.With(call).Proceed(ctx, c.Request())
				})
				refused(t, get(w.client.With(WithNetworkInterceptor(alone))), true)
				w.holdsNothing()
			})
		})
	}
}

// No option is missing above.
func TestOptionScopesAreComplete(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := allOptions()
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || strings.HasSuffix(name, "_test.go") || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "With") || f.Type.Results == nil {
				continue
			}
			result, _ := f.Type.Results.List[0].Type.(*ast.Ident)
			if result == nil || result.Name != "Option" && result.Name != "CallOption" {
				continue
			}
			if _, ok := all[f.Name.Name]; !ok {
				t.Errorf("%s has no row", f.Name.Name)
			}
			delete(all, f.Name.Name)
		}
	}
	for name := range all {
		t.Errorf("%s is no option any more", name)
	}
}

// What Chain.With changes holds for the rest of the call alone.
func TestChainWithActs(t *testing.T) {
	t.Run("WithAuthenticator", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(unauthorized, okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(credentials("x")).Proceed(ctx, c.Request())
		}))
	})
	t.Run("WithCookieJar", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			var server recorder
			w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
			w.want("200 x")(w.get("http://server.test/"))
			if got := server.requests[0].header.Get("Cookie"); got != "a=1" {
				t.Errorf("cookie %q", got)
			}
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(WithCookieJar(new(spyJar).with("a", "1"))).Proceed(ctx, c.Request())
		}))
	})
	t.Run("WithCache", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.want("200 cached")(w.get("http://server.test/"))
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(cacheFunc(func(_ context.Context, c Chain, _ *EventListener) (*Response, error) { return made(c, "cached"), nil })).Proceed(ctx, c.Request())
		}))
	})
	t.Run("WithRetryPolicy and WithContinueWait", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) {
				for _, text := range []string{busyText(503, "Retry-After: 1"), okText("x")} {
					p.head()
					p.body(5)
					p.send(text)
				}
				p.head()
			})
			req, opened := expecting(t)
			resp, err := w.client.Do(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := resp.Body.Text(); text != "x" || err != nil || *opened != 2 {
				t.Errorf("%q, %v, opened %d times", text, err, *opened)
			}
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			return c.With(WithRetryPolicy(RetryPolicy{}), WithContinueWait(time.Millisecond)).Proceed(ctx, c.Request())
		}))
	})
	t.Run("WithDispatcher and nil", func(t *testing.T) {
		d := NewDispatcher(DispatcherConfig{})
		c := New(WithDispatcher(d), WithDispatcher(nil))
		defer c.Close()
		derived := c.With(WithReadTimeout(time.Second))
		if c.cfg.dispatcher != d || derived.cfg.dispatcher != d {
			t.Error("WithDispatcher(nil) does something, or a derived client does not share")
		}
	})
}
