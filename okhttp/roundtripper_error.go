package okhttp

import (
	"crypto/tls"
	"errors"
	"strings"
)

// Code over net/http decides by some errors of its transport whether to try again. Most of them have types or tell that they are timeouts, as
// this client's do. Where they are known by their text, or by their type without unwrapping, they are made to look like that.

// refusal is why a request cannot be sent, in the words of net/http, which has no types for that.
type refusal struct {
	words string
	err   error
}

func (r *refusal) Error() string {
	return "okhttp: " + r.words + ": " + strings.TrimPrefix(r.err.Error(), "okhttp: ")
}

func (r *refusal) Unwrap() error { return r.err }

// refusedForHTTP is the error of a request that is none.
func refusedForHTTP(err error) error {
	switch e := err.(type) {
	case *URLError:
		if e.Part == "scheme" {
			return &refusal{"unsupported protocol scheme", err}
		}
	case *HeaderError:
		return &refusal{"invalid header", err}
	}
	return err
}

// failedForHTTP is the error of a call.
func failedForHTTP(err error) error {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &tls.CertificateVerificationError{UnverifiedCertificates: e.UnverifiedCertificates, Err: err}
	}
	return err
}
