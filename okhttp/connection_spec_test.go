package okhttp

import (
	"crypto/tls"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestConnectionSpecs(t *testing.T) {
	custom, err := NewConnectionSpec(SpecConfig{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}})
	if err != nil {
		t.Fatal(err)
	}
	same, err := NewConnectionSpec(SpecConfig{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12,
		CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}})
	if err != nil || same != custom {
		t.Errorf("specs of the same versions and suites differ: %v, %v, %v", custom, same, err)
	}
	plain, err := NewConnectionSpec(SpecConfig{})
	if err != nil || plain != ModernTLS {
		t.Errorf("the zero configuration is %v, %v, want ModernTLS", plain, err)
	}
	for spec, want := range map[ConnectionSpec]string{
		Cleartext: "ConnectionSpec()",
		ModernTLS: "ConnectionSpec(cipherSuites=[all enabled], tlsVersions=[TLSv1.2-TLSv1.3], alpn=true)",
		custom:    "ConnectionSpec(cipherSuites=[TLS_RSA_WITH_AES_128_CBC_SHA TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], tlsVersions=[TLSv1.2-TLSv1.2], alpn=true)",
	} {
		if got := spec.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if n := len(RestrictedTLS.CipherSuites()); n != 6 {
		t.Errorf("RestrictedTLS has %d suites of TLS 1.2, want 6", n)
	}
	for _, name := range []string{"RSA_WITH_RC4", "MD5"} {
		if strings.Contains(CompatibleTLS.String(), name) {
			t.Errorf("CompatibleTLS has %s", name)
		}
	}
	for want, c := range map[string]SpecConfig{
		"at least one cipher suite":         {CipherSuites: []uint16{}},
		"no cipher suite of crypto/tls has": {CipherSuites: []uint16{0xfefe}},
		"is above its maximum":              {MinVersion: tls.VersionTLS13, MaxVersion: tls.VersionTLS12},
		"must be from TLS 1.0":              {MinVersion: 0x0300},
		"to TLS 1.3":                        {MaxVersion: 0x0305},
	} {
		if _, err := NewConnectionSpec(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

// A spec and the user's configuration both have to allow what is offered.
func TestConnectionSpecApplies(t *testing.T) {
	const v10, v11, v12, v13 = tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13
	gcm, cbc := uint16(tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256), uint16(tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA)
	for _, c := range []struct {
		spec     ConnectionSpec
		given    *tls.Config
		ok       bool
		min, max uint16
		suites   []uint16
	}{
		{ModernTLS, &tls.Config{}, true, v12, v13, nil},
		{ModernTLS, &tls.Config{MinVersion: v10}, true, v12, v13, nil},
		{ModernTLS, &tls.Config{MaxVersion: v12}, true, v12, v12, nil},
		{ModernTLS, &tls.Config{MaxVersion: v11}, false, 0, 0, nil},
		{ModernTLS, &tls.Config{CipherSuites: []uint16{cbc}}, true, v12, v13, []uint16{cbc}},
		{CompatibleTLS, &tls.Config{MinVersion: v11, MaxVersion: v11}, true, v11, v11, CompatibleTLS.CipherSuites()},
		{RestrictedTLS, &tls.Config{CipherSuites: []uint16{cbc, gcm}}, true, v12, v13, []uint16{gcm}},
		{RestrictedTLS, &tls.Config{CipherSuites: []uint16{cbc}}, true, v13, v13, []uint16{}},
		{RestrictedTLS, &tls.Config{CipherSuites: []uint16{cbc}, MaxVersion: v12}, false, 0, 0, nil},
	} {
		got := c.given.Clone()
		if ok := c.spec.apply(got); ok != c.ok {
			t.Errorf("%v over %d-%d %v: compatible %v, want %v", c.spec, c.given.MinVersion, c.given.MaxVersion, c.given.CipherSuites, ok, c.ok)
		} else if ok && (got.MinVersion != c.min || got.MaxVersion != c.max || !slices.Equal(got.CipherSuites, c.suites)) {
			t.Errorf("%v: %x-%x %v, want %x-%x %v", c.spec, got.MinVersion, got.MaxVersion, got.CipherSuites, c.min, c.max, c.suites)
		}
	}
}

// Fact 49: the next spec is tried when the handshake fails for its versions, and only then.
func TestSpecFallback(t *testing.T) {
	const failedOnce = "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed "
	const thenConnected = "connectStart secureConnectStart secureConnectEnd connectEnd connectionAcquired "
	oldServer, clientTLS := tlsFor("server.test")
	oldServer.MaxVersion, oldServer.MinVersion = tls.VersionTLS11, tls.VersionTLS10
	strangerTLS, _ := tlsFor("other.test")
	specs := WithConnectionSpecs(ModernTLS, CompatibleTLS)
	for name, c := range map[string]struct {
		server *tls.Config
		opts   []Option
		ok     bool
		events string
	}{
		"another spec":       {oldServer, []Option{specs}, true, failedOnce + thenConnected},
		"one after another":  {oldServer, []Option{specs, WithFastFallback(false)}, true, failedOnce + thenConnected},
		"no other spec":      {oldServer, nil, false, failedOnce},
		"retries are off":    {oldServer, []Option{specs, WithRetryOnConnectionFailure(false)}, false, failedOnce},
		"the name is wrong":  {strangerTLS, []Option{specs}, false, failedOnce},
		"the first will do":  {oldServer, []Option{WithConnectionSpecs(CompatibleTLS)}, true, "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd " + thenConnected},
		"none is compatible": {oldServer, []Option{WithConnectionSpecs(Cleartext)}, false, failedOnce},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveTLS("server.test", "10.0.0.1", c.server, answer(okText("x")), answer(okText("x")))
				_, err := w.get("https://server.test/")
				if (err == nil) != c.ok {
					t.Errorf("error %v", err)
				}
				end := exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd"
				if !c.ok {
					end = "retryDecision false callFailed"
				}
				w.wantEvents(c.events + end)
			}, append([]Option{WithTLSConfig(clientTLS)}, c.opts...)...)
		})
	}
}

func TestUnusableSpecs(t *testing.T) {
	_, clientTLS := tlsFor("server.test")
	clientTLS.MaxVersion = tls.VersionTLS11
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", &tls.Config{})
		_, err := w.get("https://server.test/")
		var e *UnusableSpecsError
		if !errors.As(err, &e) || len(e.Specs) != 2 {
			t.Errorf("error %v", err)
		}
	}, WithTLSConfig(clientTLS))
}

// Fact 32: without the Cleartext spec no http URL is sent to, and WithCleartext decides by host. Redirects are no way around it.
func TestCleartext(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	refused := func(t *testing.T, err error) {
		t.Helper()
		var e *CleartextError
		if !errors.As(err, &e) || e.Host != "server.test" || !SafeToRetry(err) || !strings.Contains(err.Error(), "cleartext communication is not enabled") {
			t.Errorf("error %v, want a CleartextError", err)
		}
	}
	for name, opt := range map[string]Option{
		"no spec":  WithConnectionSpecs(ModernTLS),
		"the host": WithCleartext(func(host string) bool { return host != "server.test" }),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")))
				w.serveAt("10.0.0.1:443", serverTLS, answer(redirectText(302, "http://server.test/")))
				_, err := w.get("http://server.test/")
				refused(t, err)
				_, err = w.get("https://server.test/")
				var e *CleartextError
				if !errors.As(err, &e) {
					t.Errorf("after a redirect: %v", err)
				}
				w.serve("other.test", "10.0.0.2", answer(okText("y")))
				if _, err = w.get("http://other.test/"); (err == nil) != (name == "the host") {
					t.Errorf("another host: %v", err)
				}
			}, WithTLSConfig(clientTLS), opt)
		})
	}
}
