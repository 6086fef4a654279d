package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
	"github.com/okhttp-go/ok/okhttp/okdoh"
)

// The exit codes, those of curl for what happened.
const (
	exitScheme      = 1   // not an http or https URL
	exitUsage       = 2   // the command line, or a request that HTTP does not allow
	exitURL         = 3   // malformed URL
	exitProxy       = 5   // unknown proxy, or a malformed URL of one
	exitResolve     = 6   // unknown host
	exitConnect     = 7   // no connection
	exitWeirdReply  = 8   // the response is not HTTP
	exitPartial     = 18  // the body ended early
	exitStatus      = 22  // --fail, and a status of 400 or more
	exitWrite       = 23  // the output could not be written
	exitRead        = 26  // data or another input could not be read
	exitTimeout     = 28  // a time limit was up
	exitTLS         = 35  // TLS could not be agreed on
	exitRedirects   = 47  // more redirects than allowed
	exitOption      = 49  // a malformed --resolve or --connect-to
	exitEmpty       = 52  // the connection ended before there was a response
	exitSend        = 55  // the request could not be sent
	exitReceive     = 56  // the response could not be received, or a proxy refused a tunnel
	exitRange       = 33  // --continue-at, and a server that sends the whole
	exitClientCert  = 58  // the client certificate cannot be used
	exitCertificate = 60  // the certificate does not verify
	exitCoding      = 61  // what --compressed asked for cannot be unpacked
	exitFileSize    = 63  // the body is larger than --max-filesize
	exitResend      = 65  // what came from standard input would have to be sent again
	exitCAFile      = 77  // --cacert cannot be read
	exitPin         = 90  // none of the public keys of --pin
	exitStream      = 92  // the server reset the stream, over HTTP/2
	exitHandshake   = 97  // the SOCKS proxy does not do its part
	exitTooLarge    = 100 // the response's head is too large
	exitDamaged     = 101 // okcurl cache verify found something
	exitInterrupted = 130 // SIGINT
	successful      = 0
)

// failure is an error with its exit code. The text is empty where nothing needs to be said.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }

var errTooManyRedirects = errors.New("too many redirects")

// classify finds the code and the words for what ended a call.
func classify(ctx context.Context, err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if ctx.Err() != nil {
		return &failure{code: exitInterrupted}
	}
	e, ok := errors.AsType[*okhttp.Error](err)
	if u, wrong := errors.AsType[*okhttp.URLError](err); wrong && ok && e.Phase == okhttp.PhaseProxy {
		return &failure{exitProxy, libraryText(u)}
	}
	if f := classifyRequest(err); f != nil {
		return f
	}
	if !ok {
		return &failure{exitReceive, libraryText(err)}
	}
	if errors.Is(err, okhttp.ErrCallTimeout) {
		return &failure{exitTimeout, "time limit (--max-time) reached while " + doing(e.Phase)}
	}
	if u, ok := errors.AsType[*okhttp.UnknownHostError](err); ok {
		code, text := exitResolve, "could not resolve host: "+u.Host
		if u.Host != host(e) {
			code, text = exitProxy, "could not resolve proxy: "+u.Host
		}
		if q, ok := errors.AsType[*okdoh.QueryError](err); ok && !okdns.NotFound(err) {
			text += ": " + libraryText(q)
		}
		return &failure{code, text}
	}
	if e.Timeout() {
		return &failure{exitTimeout, "timed out while " + doing(e.Phase) + ": " + libraryText(e.Err)}
	}
	if errors.Is(err, errTooManyRedirects) {
		return &failure{exitRedirects, libraryText(e.Err)}
	}
	return classifyPhase(e)
}

// classifyRequest recognises requests that could not even be made.
func classifyRequest(err error) *failure {
	if u, ok := errors.AsType[*okhttp.URLError](err); ok {
		if u.Part == "scheme" {
			return &failure{exitScheme, libraryText(err)}
		}
		return &failure{exitURL, libraryText(err)}
	}
	if _, ok := errors.AsType[*okhttp.RequestError](err); ok {
		return &failure{exitUsage, libraryText(err)}
	}
	if _, ok := errors.AsType[*okhttp.HeaderError](err); ok {
		return &failure{exitUsage, libraryText(err)}
	}
	return nil
}

// classifyPhase tells failures apart by where the call was.
func classifyPhase(e *okhttp.Error) *failure {
	protocol, isProtocol := errors.AsType[*okhttp.ProtocolError](e.Err)
	large, isLarge := errors.AsType[*okhttp.TooLargeError](e.Err)
	if reset, ok := errors.AsType[*okhttp.StreamResetError](e.Err); ok {
		return &failure{exitStream, "the server reset the stream: " + reset.Code.String()}
	}
	switch {
	case e.Phase == okhttp.PhaseConnect && e.Route == "":
		return &failure{exitConnect, "cannot connect to " + host(e) + ": " + rootText(e.Err)} // it was not even tried
	case e.Phase == okhttp.PhaseConnect:
		return &failure{exitConnect, "failed to connect to " + e.Route + ": " + rootText(e.Err) + others(e)}
	case e.Phase == okhttp.PhaseProxy:
		return classifyProxy(e)
	case isPin(e.Err):
		return &failure{exitPin, libraryText(e.Err)}
	case e.Phase == okhttp.PhaseTLS && isCertificate(e.Err):
		return &failure{exitCertificate, "certificate of " + host(e) + " not verified: " + certificateText(e.Err)}
	case e.Phase == okhttp.PhaseTLS:
		return &failure{exitTLS, "tls connect error: " + tlsText(e.Err)}
	case isLarge:
		return &failure{exitTooLarge, large.Error()}
	case e.Phase == okhttp.PhaseRequestBody && (isProtocol || isFile(e.Err)):
		return &failure{exitRead, "cannot send the data: " + pathText(e.Err)}
	case e.Phase == okhttp.PhaseRequestHeaders, e.Phase == okhttp.PhaseRequestBody:
		return &failure{exitSend, "failed to send the request: " + rootText(e.Err)}
	case e.Phase == okhttp.PhaseResponseHeaders && errors.Is(e.Err, io.ErrUnexpectedEOF):
		return &failure{exitEmpty, "the server closed the connection before its response had come"}
	case e.Phase == okhttp.PhaseResponseHeaders && isProtocol:
		return &failure{exitWeirdReply, "the server's response is not HTTP: " + protocol.Detail}
	case e.Phase == okhttp.PhaseFollowUp && isProtocol:
		return &failure{exitRedirects, protocol.Detail}
	case e.Phase == okhttp.PhaseResponseBody:
		return classifyBody(e, protocol)
	}
	return &failure{exitReceive, "failed to receive the response: " + rootText(e.Err)}
}

// statusFailure is a response that --fail, or a retry, does not take for one.
func statusFailure(resp *okhttp.Response) *failure {
	return &failure{exitStatus, strings.TrimSpace(fmt.Sprintf("the server answered %03d %s", resp.Status, printable(resp.Message)))}
}

func isPin(err error) bool {
	_, ok := errors.AsType[*okhttp.PinMismatchError](err)
	return ok
}

// classifyProxy tells failures apart by what the proxy was asked for.
func classifyProxy(e *okhttp.Error) *failure {
	p, ok := errors.AsType[*okhttp.ProxyError](e.Err)
	switch {
	case !ok:
		return &failure{exitHandshake, libraryText(e.Err)}
	case p.Status != 0:
		return &failure{exitReceive, fmt.Sprintf("%s refused the tunnel: it answered %d", p.Proxy, p.Status)}
	case isCertificate(p.Err):
		return &failure{exitCertificate, "certificate of " + p.Proxy + " not verified: " + certificateText(p.Err)}
	}
	if r, ok := errors.AsType[tls.RecordHeaderError](p.Err); ok {
		return &failure{exitTLS, p.Proxy + ": tls connect error: " + r.Msg + " (is it a proxy without tls?)"}
	}
	if !strings.HasPrefix(p.Proxy, "socks") {
		return &failure{exitReceive, p.Proxy + " did not open the tunnel: " + rootText(p.Err)}
	}
	return &failure{exitHandshake, p.Proxy + ": " + socksText(p.Err)}
}

// socksText is the reason alone.
func socksText(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && strings.HasPrefix(op.Op, "socks") {
		err = op.Err
	}
	return strings.TrimPrefix(rootText(err), "unknown error ")
}

func classifyBody(e *okhttp.Error, protocol *okhttp.ProtocolError) *failure {
	switch {
	case protocol != nil && errors.Is(protocol, io.ErrUnexpectedEOF):
		return &failure{exitPartial, "the server closed the connection before the end of the body"}
	case protocol != nil:
		return &failure{exitReceive, "failed to receive the response: " + protocol.Detail}
	}
	if text := unpackText(e.Err); text != "" {
		return &failure{exitCoding, text}
	}
	return &failure{exitReceive, "failed to receive the response: " + rootText(e.Err)}
}

func doing(p okhttp.Phase) string {
	switch p {
	case okhttp.PhaseDNS:
		return "resolving the host"
	case okhttp.PhaseConnect:
		return "connecting"
	case okhttp.PhaseProxy:
		return "waiting for the proxy"
	case okhttp.PhaseTLS:
		return "agreeing on tls"
	case okhttp.PhaseRequestHeaders, okhttp.PhaseRequestBody:
		return "sending the request"
	case okhttp.PhaseResponseHeaders:
		return "waiting for the response"
	case okhttp.PhaseResponseBody:
		return "receiving the body"
	}
	return "fetching"
}

func isCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.HostnameError](err)
	return ok
}

// certificateText is the reason alone: the library's prefix says what the line says already.
func certificateText(err error) string {
	if v, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = v.Err
	}
	return strings.TrimPrefix(err.Error(), "x509: ")
}

func tlsText(err error) string {
	if r, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return r.Msg + " (is it a server without tls?)"
	}
	return rootText(err)
}

func isFile(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

// rootText renders the cause that the system named, if it did.
func rootText(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return libraryText(err)
}

// others counts the further addresses that did not answer either.
func others(e *okhttp.Error) string {
	switch n := len(e.Attempts); n {
	case 0:
		return ""
	case 1:
		return " (and to 1 other address)"
	default:
		return " (and to " + strconv.Itoa(n) + " other addresses)"
	}
}

// host is the host of the error's redacted URL.
func host(e *okhttp.Error) string {
	u, err := okhttp.ParseURL(e.URL)
	if err != nil {
		return e.URL
	}
	return u.Host()
}

// libraryText is the message of an error without the package it comes from.
func libraryText(err error) string {
	text := strings.TrimPrefix(err.Error(), "okhttp: ")
	return strings.TrimPrefix(text, "okio: ")
}
