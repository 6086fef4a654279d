package okws

import (
	"strconv"
	"strings"
)

// extensions are what Sec-WebSocket-Extensions says (RFC 6455 section 9.1, RFC 7692 section 7.1). A number is 0 where there is none.
type extensions struct {
	deflate                 bool
	clientMaxWindowBits     int
	clientNoContextTakeover bool
	serverMaxWindowBits     int
	serverNoContextTakeover bool
	unknown                 bool // there was something that is not understood

	// In an offer client_max_window_bits may stand without a number: the client can bound its window if it is asked to.
	clientMaxWindowBitsHint bool
}

// parseExtensions reads the values of all header fields of a response, in their order.
func parseExtensions(values []string) extensions {
	var e extensions
	for _, value := range values {
		if strings.TrimSpace(value) == "" {
			continue
		}
		for element := range splitUnquoted(value, ',') {
			switch {
			case !isDeflate(element) || e.deflate:
				e.unknown = true
			default:
				e.deflate = true
				e.parameters(element, false)
			}
		}
	}
	return e
}

// parseOffers reads the offers of a client, each with what it says, and skips those of other extensions.
func parseOffers(values []string) (offers []extensions) {
	for _, value := range values {
		for element := range splitUnquoted(value, ',') {
			if isDeflate(element) {
				e := extensions{deflate: true}
				e.parameters(element, true)
				offers = append(offers, e)
			}
		}
	}
	return offers
}

func isDeflate(element string) bool {
	name, _, _ := strings.Cut(element, ";")
	return strings.EqualFold(trimBlanks(name), "permessage-deflate")
}

// parameters reads what follows the name of the extension.
func (e *extensions) parameters(element string, offer bool) {
	seen := map[string]bool{}
	first := true
	for parameter := range splitUnquoted(element, ';') {
		if first { // the name
			first = false
			continue
		}
		if trimBlanks(parameter) == "" {
			continue
		}
		name, value, valued := strings.Cut(parameter, "=")
		name = strings.ToLower(trimBlanks(name))
		if seen[name] {
			e.unknown = true
		}
		seen[name] = true
		switch name {
		case "client_no_context_takeover":
			e.clientNoContextTakeover, e.unknown = true, e.unknown || valued
		case "server_no_context_takeover":
			e.serverNoContextTakeover, e.unknown = true, e.unknown || valued
		case "client_max_window_bits":
			if e.clientMaxWindowBitsHint = true; valued || !offer {
				e.number(&e.clientMaxWindowBits, value)
			}
		case "server_max_window_bits":
			e.number(&e.serverMaxWindowBits, value)
		default:
			e.unknown = true
		}
	}
}

// number reads a value, perhaps in quotes.
func (e *extensions) number(dst *int, value string) {
	value = trimBlanks(value)
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 || *dst != 0 {
		e.unknown = true
		return
	}
	*dst = n
}

func trimBlanks(s string) string { return strings.Trim(s, " \t") }

// splitUnquoted splits a field value where sep stands outside of quotes.
func splitUnquoted(s string, sep byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin, quoted := 0, false
		for i := 0; i < len(s); i++ {
			switch {
			case s[i] == '\\' && quoted:
				i++
			case s[i] == '"':
				quoted = !quoted
			case s[i] == sep && !quoted:
				if !yield(s[begin:i]) {
					return
				}
				begin = i + 1
			}
		}
		yield(s[begin:])
	}
}

// isWindow reports whether a window can have so many bits (RFC 7692 section 7.1.2).
func isWindow(bits int) bool { return bits >= 8 && bits <= 15 }

// acceptable reports whether a client can go along with a server's answer to what it offered (RFC 7692 section 7.1).
func (e *extensions) acceptable(offered *Compression) bool {
	switch {
	case e.unknown:
		return false
	case !e.deflate:
		return true
	case offered.Off:
		return false
	case e.clientMaxWindowBits != 0 && !(isWindow(e.clientMaxWindowBits) && (offered.OfferClientWindow || offered.Lenient && e.clientMaxWindowBits == 15)):
		return false
	case e.serverMaxWindowBits != 0 && !isWindow(e.serverMaxWindowBits):
		return false
	}
	return offered.Lenient || e.meets(offered)
}

// meets reports whether a server accepted what it was asked for, which it does by saying so (RFC 7692 sections 7.1.1.1 and 7.1.2.1).
func (e *extensions) meets(offered *Compression) bool {
	if offered.PeerNoContextTakeover && !e.serverNoContextTakeover {
		return false
	}
	asked := offered.PeerMaxWindowBits
	return asked == 0 || e.serverMaxWindowBits != 0 && e.serverMaxWindowBits <= asked
}

// String writes the extensions as a header value, "" for none.
func (e *extensions) String() string {
	if !e.deflate {
		return ""
	}
	s := "permessage-deflate"
	if e.serverNoContextTakeover {
		s += "; server_no_context_takeover"
	}
	if e.clientNoContextTakeover {
		s += "; client_no_context_takeover"
	}
	if e.serverMaxWindowBits != 0 {
		s += "; server_max_window_bits=" + strconv.Itoa(e.serverMaxWindowBits)
	}
	switch {
	case e.clientMaxWindowBits != 0:
		s += "; client_max_window_bits=" + strconv.Itoa(e.clientMaxWindowBits)
	case e.clientMaxWindowBitsHint:
		s += "; client_max_window_bits"
	}
	return s
}
