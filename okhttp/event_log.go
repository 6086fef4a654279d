package okhttp

import (
	"context"
	"log/slog"
	"time"
)

// LogEvents makes listeners that log each event of a call at level debug, and its failure at level warn, with the time since the call began. URLs
// are redacted, and headers are not logged. nil stands for [slog.Default], as it is when a call is made.
func LogEvents(logger *slog.Logger) EventListenerFactory {
	return func(call *Call) *EventListener {
		logger := logger
		if logger == nil {
			logger = slog.Default()
		}
		began := time.Now()
		log := func(event string, attrs ...slog.Attr) {
			attrs = append(attrs, slog.Duration("after", time.Since(began)))
			logger.LogAttrs(context.Background(), slog.LevelDebug, "okhttp: "+event, attrs...)
		}
		fail := func(event string, err error) {
			logger.LogAttrs(context.Background(), slog.LevelWarn, "okhttp: "+event, slog.Any("error", err), slog.Duration("after", time.Since(began)))
		}
		route := func(e ConnectEvent) slog.Attr { return slog.String("route", e.Route.String()) }
		return &EventListener{
			CallStart: func(CallStart) {
				began = time.Now()
				log("call start", slog.String("method", call.request.method), slog.String("url", call.request.url.Redacted()))
			},
			QueueStart:          func(QueueEvent) { log("queue start") },
			QueueEnd:            func(QueueEvent) { log("queue end") },
			CacheHit:            func(CacheEvent) { log("cache hit") },
			CacheMiss:           func(CacheEvent) { log("cache miss") },
			CacheConditionalHit: func(CacheEvent) { log("cache conditional hit") },
			SatisfactionFailure: func(CacheEvent) { log("cache satisfaction failure") },
			ProxySelectStart:    func(ProxySelect) { log("proxy select start") },
			ProxySelectEnd:      func(e ProxySelect) { log("proxy select end", slog.Any("proxies", e.Proxies)) },
			DNSStart:            func(e DNSEvent) { log("dns start", slog.String("host", e.Host)) },
			DNSEnd:              func(e DNSEvent) { log("dns end", slog.Any("addresses", e.Addrs)) },
			ConnectStart:        func(e ConnectEvent) { log("connect start", route(e)) },
			SecureConnectStart:  func(e ConnectEvent) { log("tls start", route(e)) },
			SecureConnectEnd: func(e ConnectEvent) {
				log("tls end", slog.String("version", e.Handshake.Version), slog.String("suite", e.Handshake.CipherSuite))
			},
			ConnectEnd:           func(e ConnectEvent) { log("connect end", slog.String("protocol", string(e.Protocol))) },
			ConnectFailed:        func(e ConnectEvent) { fail("connect failed", e.Err) },
			StreamLimit:          func(e ConnectionEvent) { log("stream limit", slog.String("route", e.Connection.route.String())) },
			ConnectionAcquired:   func(e ConnectionEvent) { log("connection acquired", slog.String("route", e.Connection.route.String())) },
			ConnectionReleased:   func(ConnectionEvent) { log("connection released") },
			RequestHeadersStart:  func(*Call) { log("request headers start") },
			RequestHeadersEnd:    func(RequestHeadersEnd) { log("request headers end") },
			RequestBodyStart:     func(*Call) { log("request body start") },
			RequestBodyEnd:       func(e BodyEnd) { log("request body end", slog.Int64("bytes", e.Bytes)) },
			RequestFailed:        func(e Failure) { fail("request failed", e.Err) },
			ResponseHeadersStart: func(*Call) { log("response headers start") },
			Informational:        func(e InformationalEvent) { log("informational", slog.Int("status", e.Status)) },
			ResponseHeadersEnd:   func(e ResponseHeadersEnd) { log("response headers end", slog.Int("status", e.Response.Status)) },
			ResponseBodyStart:    func(*Call) { log("response body start") },
			ResponseBodyEnd:      func(e BodyEnd) { log("response body end", slog.Int64("bytes", e.Bytes)) },
			ResponseFailed:       func(e Failure) { fail("response failed", e.Err) },
			RetryDecision:        func(e RetryDecision) { log("retry decision", slog.Bool("retry", e.Retry)) },
			FollowUpDecision: func(e FollowUpDecision) {
				if e.Next != nil {
					log("follow-up", slog.String("method", e.Next.method), slog.String("url", e.Next.url.Redacted()))
				}
			},
			Canceled:   func(*Call) { log("canceled") },
			CallEnd:    func(CallEnd) { log("call end") },
			CallFailed: func(e Failure) { fail("call failed", e.Err) },
		}
	}
}
