package tls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/tests/golden"
)

const resultsFile = "testdata/results.txt"

// runAll puts a client before all servers.
func runAll(t *testing.T, do Client) []Result {
	t.Helper()
	var results []Result
	for _, c := range Cases() {
		r, err := Run(c, do)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	return results
}

// TestConformance wants every server accepted or refused as it must be. What happens to those that the standards leave to the client is
// in the results as well.
func TestConformance(t *testing.T) {
	var table strings.Builder
	scored, right := 0, 0
	for _, r := range runAll(t, OkHTTP) {
		if r.Expect != Policy {
			scored++
			if r.OK() {
				right++
			} else {
				t.Errorf("%s (%s): want %s, got: %s", r.Name, r.Why, r.Expect, decision(r.Err))
			}
		}
		fmt.Fprintf(&table, "\n%s: %s\n  %s\n  okhttp: %s\n", r.Name, r.Why, r.Expect, decision(r.Err))
	}
	if scored != 57 {
		t.Errorf("%d cases are scored, want 57", scored)
	}
	got := fmt.Sprintf("Servers as okhttp takes them, written by: go test -run TestConformance -update\n\n%d of %d as they must be taken\n%s",
		right, scored, table.String())
	golden.Compare(t, resultsFile, got)
}

// decision says what a client did, without names and dates that differ from run to run.
func decision(err error) string {
	if err == nil {
		return "accept"
	}
	var e *okhttp.Error
	if !errors.As(err, &e) {
		return "refuse: " + err.Error()
	}
	if e.Phase != okhttp.PhaseTLS { // when the server says no depends on how fast it is
		return "refused by the server after the handshake"
	}
	return "refuse: " + cause(e.Err)
}

// cause names what is wrong with a certificate.
func cause(err error) string {
	var unverified *tls.CertificateVerificationError
	if !errors.As(err, &unverified) {
		return err.Error()
	}
	var (
		name      x509.HostnameError
		authority x509.UnknownAuthorityError
		extension x509.UnhandledCriticalExtension
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &name):
		return "the certificate is not for the host"
	case errors.As(err, &authority):
		return "no authority that is trusted"
	case errors.As(err, &extension):
		return "a critical extension that is not known"
	case !errors.As(err, &invalid):
		return unverified.Err.Error()
	}
	if text, ok := map[x509.InvalidReason]string{
		x509.NotAuthorizedToSign:           "an issuer that is no authority",
		x509.Expired:                       "out of its validity",
		x509.CANotAuthorizedForThisName:    "an authority not permitted for the name",
		x509.TooManyIntermediates:          "too many authorities in the chain",
		x509.IncompatibleUsage:             "not for servers",
		x509.CANotAuthorizedForExtKeyUsage: "an authority not permitted for servers",
	}[invalid.Reason]; ok {
		return text
	}
	return fmt.Sprintf("invalid, reason %d", invalid.Reason)
}

// TestEngine checks that the engine tells a wrong client from a right one.
func TestEngine(t *testing.T) {
	count := func(do Client) (accepted, refused int) {
		for _, r := range runAll(t, do) {
			switch {
			case r.Expect == Policy || r.OK():
			case r.Err == nil:
				accepted++
			default:
				refused++
			}
		}
		return accepted, refused
	}
	for _, tt := range []struct {
		name              string
		client            Client
		accepted, refused int // wrongly
	}{
		{"accepts all", func(Server) error { return nil }, 43, 0},
		{"refuses all", func(Server) error { return errors.New("no") }, 0, 14},
		{"verifies nothing", Credulous, 36, 0}, // what is left fails by itself: RC4, suites that HTTP/2 forbids, ALPN, the client's certificate, a name that cannot be parsed
	} {
		if accepted, refused := count(tt.client); accepted != tt.accepted || refused != tt.refused {
			t.Errorf("a client that %s accepts %d and refuses %d wrongly, want %d and %d", tt.name, accepted, refused, tt.accepted, tt.refused)
		}
	}
}
