package okhttp

import "github.com/okhttp-go/ok/okhttp/http1"

// awaitContinue sends the head of a request that expects 100 (Continue) and waits for the server to ask for the body (RFC 9110 section
// 10.1.1). A final response comes back in its place; the body is not sent then. Since the server may or may not wait for it, a
// connection over HTTP/1.1 serves no other exchange; a stream of HTTP/2 is reset.
func (c *Call) awaitContinue(cfg *config, ex *exchange) (refused *http1.ResponseHead, failed *attemptError) {
	if err := ex.wire.flush(); err != nil {
		return nil, c.requestFailed(ex.failure(PhaseRequestHeaders, err))
	}
	if t := c.tracer(); t != nil && t.Wait100Continue != nil {
		t.Wait100Continue()
	}
	// A wait that is longer than the read timeout cannot end well: then reading the head is what fails.
	sooner := cfg.readTimeout == 0 || cfg.continueWait < cfg.readTimeout
	if cfg.continueWait > 0 && sooner && !ex.wire.heardWithin(cfg.continueWait) {
		return nil, nil // an answer that comes later is read in its turn
	}
	for {
		head, err := c.readOneHead(ex)
		switch {
		case err != nil:
			return nil, err
		case head.Status == 100:
			return nil, nil
		case !head.Informational():
			ex.forgo()
			return &head, nil
		}
	}
}
