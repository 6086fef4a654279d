package okhttp

import "net/netip"

// EventListenerFactory makes the listener of one call, so that a listener can hold that call's state in variables. It runs in
// [Client.NewCall] and must not execute the call. It may return nil for none.
type EventListenerFactory func(*Call) *EventListener

// EventListener is a set of hooks; those left nil cost nothing. They run synchronously on the goroutine of the call, apart from Canceled,
// which runs on the goroutine that canceled and may come at any time; no lock is held while one runs. They must be quick and must not
// call back into the client.
//
// Except for Canceled, the hooks of a call come in this order:
//
//	CallStart attempt… (CallEnd | CallFailed)
//
//	attempt  = [connect] exchange
//	connect  = [ProxySelectStart ProxySelectEnd] [DNSStart DNSEnd]
//	           (ConnectStart [SecureConnectStart SecureConnectEnd] (ConnectEnd | ConnectFailed))… ConnectionAcquired
//	exchange = RequestHeadersStart RequestHeadersEnd [RequestBodyStart RequestBodyEnd | RequestFailed]
//	           (ResponseHeadersStart Informational… ResponseHeadersEnd FollowUpDecision ResponseBodyStart ResponseBodyEnd | ResponseFailed)
//
// For the second and further of several proxies the name is looked up when it is their turn, and for a SOCKS proxy that takes addresses
// the server's name after ConnectStart. A look-up that failed has no end. ConnectEnd without a protocol is that of a proxy which wants to be asked
// for a tunnel anew, over another connection. RetryDecision comes after an attempt that failed, ConnectionReleased when a call gives up its connection. The body of a response that is
// empty or was read by an interceptor ends before FollowUpDecision, and so does the body of a response that is followed up.
//
// A hook that panics on the way to the response breaks the call off, as an interceptor that panics does: what is under way gets no end of its
// own then, and CallFailed is told of a [*PanicError]. One that panics while the response is read or closed does not keep the call from its end.
type EventListener struct {
	CallStart            func(CallStart)
	QueueStart           func(QueueEvent) // an enqueued call has to wait
	QueueEnd             func(QueueEvent)
	ProxySelectStart     func(ProxySelect)
	ProxySelectEnd       func(ProxySelect) // not after a failure
	DNSStart             func(DNSEvent)
	DNSEnd               func(DNSEvent) // connecting begins; addresses that come later join in. Not after a failure
	ConnectStart         func(ConnectEvent)
	SecureConnectStart   func(ConnectEvent)
	SecureConnectEnd     func(ConnectEvent) // not after a failure
	ConnectEnd           func(ConnectEvent)
	ConnectFailed        func(ConnectEvent)
	StreamLimit          func(ConnectionEvent) // this connection over HTTP/2 carries as many calls as its server allows; the call goes on to another one
	ConnectionAcquired   func(ConnectionEvent)
	ConnectionReleased   func(ConnectionEvent)
	RequestHeadersStart  func(*Call)
	RequestHeadersEnd    func(RequestHeadersEnd)
	RequestBodyStart     func(*Call)
	RequestBodyEnd       func(BodyEnd)
	RequestFailed        func(Failure)
	ResponseHeadersStart func(*Call) // the first head was read
	Informational        func(InformationalEvent)
	ResponseHeadersEnd   func(ResponseHeadersEnd)
	ResponseBodyStart    func(*Call)
	ResponseBodyEnd      func(BodyEnd)
	ResponseFailed       func(Failure)
	RetryDecision        func(RetryDecision)
	FollowUpDecision     func(FollowUpDecision)
	CacheHit             func(CacheEvent)
	CacheMiss            func(CacheEvent)
	CacheConditionalHit  func(CacheEvent)
	SatisfactionFailure  func(CacheEvent)
	Canceled             func(*Call)
	CallEnd              func(CallEnd)
	CallFailed           func(Failure)
}

type (
	// CallStart begins every call.
	CallStart struct{ Call *Call }
	// QueueEvent is the wait for a turn, by calls that have to.
	QueueEvent struct {
		Call       *Call
		Dispatcher *Dispatcher
	}
	// ProxySelect is the choice of proxies by a selector.
	ProxySelect struct {
		Call    *Call
		URL     URL
		Proxies []Proxy // at the end, in the order in which they are tried
	}
	// DNSEvent is the look-up of a host name.
	DNSEvent struct {
		Call  *Call
		Host  string
		Addrs []netip.Addr // at the end
	}
	// ConnectEvent is the connecting to one address.
	ConnectEvent struct {
		Call      *Call
		Route     *Route
		Protocol  Protocol   // at the end
		Handshake *Handshake // at the end of TLS
		Err       error      // of a failure
	}
	// ConnectionEvent is a call taking hold of a connection or letting it go.
	ConnectionEvent struct {
		Call       *Call
		Connection *Connection
	}
	// RequestHeadersEnd carries the request as it was sent.
	RequestHeadersEnd struct {
		Call    *Call
		Request *Request
	}
	// BodyEnd counts the bytes of a body: of a request, those that the body wrote; of a response, those that came from the server,
	// compressed if they are.
	BodyEnd struct {
		Call  *Call
		Bytes int64
	}
	// InformationalEvent is a 1xx response (RFC 9110 section 15.2).
	InformationalEvent struct {
		Call    *Call
		Status  int
		Headers Headers
	}
	// ResponseHeadersEnd carries the response without its body.
	ResponseHeadersEnd struct {
		Call     *Call
		Response *Response
	}
	// RetryDecision says whether a failed attempt is repeated.
	RetryDecision struct {
		Call  *Call
		Err   error
		Retry bool
	}
	// FollowUpDecision says what follows a response: Next is nil when the response is the call's.
	FollowUpDecision struct {
		Call     *Call
		Response *Response
		Next     *Request
	}
	// CacheEvent is a decision of the cache. Response is what it was about, nil for a miss.
	CacheEvent struct {
		Call     *Call
		Response *Response
	}
	// CallEnd ends a call that succeeded, once its response was closed.
	CallEnd struct{ Call *Call }
	// Failure is what went wrong.
	Failure struct {
		Call *Call
		Err  error
	}
)
