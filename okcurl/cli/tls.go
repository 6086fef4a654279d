package cli

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// tlsConfig returns what the options ask for, --insecure where that is heeded, nil if it is nothing. Secrets of the sessions go to keys, unless nil.
func (o *options) tlsConfig(insecure bool, keys io.Writer) (*tls.Config, error) {
	if !insecure && o.caFile == "" && o.certFile == "" && o.tlsMin == 0 && o.tlsMax == 0 && keys == nil {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: insecure, MinVersion: o.tlsMin, MaxVersion: o.tlsMax, KeyLogWriter: keys}
	if o.caFile != "" {
		pem, err := os.ReadFile(o.caFile)
		if err != nil {
			return nil, &failure{exitCAFile, "cannot read the certificates of --cacert: " + pathText(err)}
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &failure{exitCAFile, "no certificate in PEM form in " + o.caFile}
		}
	}
	if o.certFile != "" {
		pair, err := o.clientCertificate()
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// clientCertificate reads what --cert and --key name.
func (o *options) clientCertificate() (pair tls.Certificate, err error) {
	keyFile := o.keyFile
	if keyFile == "" {
		keyFile = o.certFile
	}
	chain, err := os.ReadFile(o.certFile)
	if err != nil {
		return pair, &failure{exitClientCert, "cannot read the client certificate: " + pathText(err)}
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return pair, &failure{exitClientCert, "cannot read the key of the client certificate: " + pathText(err)}
	}
	if pair, err = tls.X509KeyPair(chain, key); err == nil {
		return pair, nil
	}
	text := strings.TrimPrefix(err.Error(), "tls: ")
	switch {
	case !bytes.Contains(key, []byte("PRIVATE KEY-----")):
		text = "no key in PEM form in " + keyFile
		if o.keyFile == "" {
			text += " (--key names another file)"
		}
	case bytes.Contains(key, []byte("ENCRYPTED")):
		text = "the key in " + keyFile + " has a passphrase, which okcurl does not ask for"
	}
	return pair, &failure{exitClientCert, "cannot use the client certificate " + o.certFile + ": " + text}
}

// setTLSMin demands a version. Undone, it is the library's again.
func (o *options) setTLSMin(version uint16, on bool) {
	switch {
	case on:
		o.tlsMin = version
	case o.tlsMin == version:
		o.tlsMin = 0
	}
}

func (o *options) setTLSMax(text string) error {
	switch text {
	case "1.2":
		o.tlsMax = tls.VersionTLS12
	case "1.3", "default":
		o.tlsMax = 0
	default:
		return fmt.Errorf("expected 1.2 or 1.3, got %q", text)
	}
	return nil
}

// addPin reads HOST=PIN[,PIN...].
func (o *options) addPin(text string) (err error) {
	host, list, ok := strings.Cut(text, "=")
	if !ok || host == "" || list == "" {
		return fmt.Errorf("expected HOST=PIN, got %q", text)
	}
	pins := strings.Split(list, ",")
	pinner := o.pinner
	if pinner == nil {
		pinner, err = okhttp.NewCertificatePinner(host, pins...)
	} else {
		pinner, err = pinner.With(host, pins...)
	}
	if err != nil {
		return errors.New(libraryText(err))
	}
	o.pinner = pinner
	return nil
}

// keyLog opens the file of SSLKEYLOGFILE, with which others can read what was recorded on the wire, nil if there is none. One that cannot be opened
// harms nobody but who wants to read it.
func (s *session) keyLog() io.Writer {
	name := os.Getenv("SSLKEYLOGFILE")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		if !s.o.silent {
			fmt.Fprintf(s.err, "okcurl: no secrets are logged: %s\n", pathText(err))
		}
		return nil
	}
	s.ends = append(s.ends, func() { f.Close() })
	return f
}
