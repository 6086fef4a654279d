package okhttp

// TeeEvents makes a listener that tells each of the given ones, in their order, on the same goroutine; one that panics keeps the event from those
// after it. nil listeners are left out; of none it is nil. Set all hooks before: those that are set later may not be called.
func TeeEvents(list ...*EventListener) *EventListener {
	var all *EventListener
	for _, l := range list {
		switch {
		case l == nil:
		case all == nil:
			all = l
		default:
			all = tee(all, l)
		}
	}
	return all
}

func tee(a, b *EventListener) *EventListener {
	return &EventListener{
		CallStart:            both(a.CallStart, b.CallStart),
		QueueStart:           both(a.QueueStart, b.QueueStart),
		QueueEnd:             both(a.QueueEnd, b.QueueEnd),
		CacheHit:             both(a.CacheHit, b.CacheHit),
		CacheMiss:            both(a.CacheMiss, b.CacheMiss),
		CacheConditionalHit:  both(a.CacheConditionalHit, b.CacheConditionalHit),
		SatisfactionFailure:  both(a.SatisfactionFailure, b.SatisfactionFailure),
		ProxySelectStart:     both(a.ProxySelectStart, b.ProxySelectStart),
		ProxySelectEnd:       both(a.ProxySelectEnd, b.ProxySelectEnd),
		DNSStart:             both(a.DNSStart, b.DNSStart),
		DNSEnd:               both(a.DNSEnd, b.DNSEnd),
		ConnectStart:         both(a.ConnectStart, b.ConnectStart),
		SecureConnectStart:   both(a.SecureConnectStart, b.SecureConnectStart),
		SecureConnectEnd:     both(a.SecureConnectEnd, b.SecureConnectEnd),
		ConnectEnd:           both(a.ConnectEnd, b.ConnectEnd),
		ConnectFailed:        both(a.ConnectFailed, b.ConnectFailed),
		StreamLimit:          both(a.StreamLimit, b.StreamLimit),
		ConnectionAcquired:   both(a.ConnectionAcquired, b.ConnectionAcquired),
		ConnectionReleased:   both(a.ConnectionReleased, b.ConnectionReleased),
		RequestHeadersStart:  both(a.RequestHeadersStart, b.RequestHeadersStart),
		RequestHeadersEnd:    both(a.RequestHeadersEnd, b.RequestHeadersEnd),
		RequestBodyStart:     both(a.RequestBodyStart, b.RequestBodyStart),
		RequestBodyEnd:       both(a.RequestBodyEnd, b.RequestBodyEnd),
		RequestFailed:        both(a.RequestFailed, b.RequestFailed),
		ResponseHeadersStart: both(a.ResponseHeadersStart, b.ResponseHeadersStart),
		Informational:        both(a.Informational, b.Informational),
		ResponseHeadersEnd:   both(a.ResponseHeadersEnd, b.ResponseHeadersEnd),
		ResponseBodyStart:    both(a.ResponseBodyStart, b.ResponseBodyStart),
		ResponseBodyEnd:      both(a.ResponseBodyEnd, b.ResponseBodyEnd),
		ResponseFailed:       both(a.ResponseFailed, b.ResponseFailed),
		RetryDecision:        both(a.RetryDecision, b.RetryDecision),
		FollowUpDecision:     both(a.FollowUpDecision, b.FollowUpDecision),
		Canceled:             both(a.Canceled, b.Canceled),
		CallEnd:              both(a.CallEnd, b.CallEnd),
		CallFailed:           both(a.CallFailed, b.CallFailed),
	}
}

// both runs one hook after the other; where one is missing it is the other.
func both[E any](a, b func(E)) func(E) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(e E) {
		a(e)
		b(e)
	}
}
