package okhttp

import "strings"

// challengeParser reads one header (RFC 9110 section 11.6.1). Commas separate challenges and parameters alike, so that only what follows a
// word tells whether it is a scheme, a parameter's name or a token68.
type challengeParser struct{ rest string }

// appendChallenges adds the challenges of a header to a list, up to the one with a fault.
func appendChallenges(list []Challenge, header string) []Challenge {
	p := challengeParser{header}
	p.separators()
	for p.rest != "" {
		c := Challenge{Scheme: p.word()}
		if !isMethod(c.Scheme) {
			break
		}
		if p.separators() || !p.token68(&c) {
			if !p.params(&c) {
				break
			}
		}
		list = append(list, c)
	}
	return list
}

// token68 takes a word and the equal signs that pad it, if nothing else follows before the next comma.
func (p *challengeParser) token68(c *Challenge) bool {
	start := p.rest
	if p.word() == "" {
		return false
	}
	p.rest = strings.TrimLeft(p.rest, "=")
	token := start[:len(start)-len(p.rest)]
	if !p.separators() && p.rest != "" {
		p.rest = start
		return false
	}
	c.Token68 = token
	return true
}

// params takes all parameters, which may be none, and the separators after them. It reports whether they are well-formed.
func (p *challengeParser) params(c *Challenge) bool {
	for p.rest != "" {
		start := p.rest
		name := p.word()
		if name == "" {
			return c.Params != nil // what this is instead, the next challenge will not know either
		}
		p.spaces()
		if !p.skip('=') {
			p.rest = start // a scheme
			return true
		}
		p.spaces()
		value, ok := p.value()
		if !ok || !isMethod(name) {
			return false
		}
		name = strings.ToLower(name)
		if _, repeated := c.Params[name]; repeated {
			return false
		}
		if c.Params == nil {
			c.Params = make(map[string]string)
		}
		c.Params[name] = value
		if !p.separators() && p.rest != "" {
			return false
		}
	}
	return true
}

// value takes a word or a quoted string (RFC 9110 section 5.6.4).
func (p *challengeParser) value() (string, bool) {
	if !p.skip('"') {
		word := p.word()
		return word, word != ""
	}
	var unescaped strings.Builder
	for {
		i := strings.IndexAny(p.rest, `"\`)
		if i < 0 || p.rest[i] == '\\' && i+1 == len(p.rest) {
			return "", false
		}
		unescaped.WriteString(p.rest[:i])
		if p.rest[i] == '"' {
			p.rest = p.rest[i+1:]
			return unescaped.String(), true
		}
		unescaped.WriteByte(p.rest[i+1])
		p.rest = p.rest[i+2:]
	}
}

// word takes what is up to a space, a comma, an equal sign or a quote, which may be nothing. Values and token68s are read as they come;
// names have to be tokens.
func (p *challengeParser) word() string {
	i := strings.IndexAny(p.rest, " \t,=\"")
	if i < 0 {
		i = len(p.rest)
	}
	word := p.rest[:i]
	p.rest = p.rest[i:]
	return word
}

func (p *challengeParser) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *challengeParser) spaces() { p.rest = strings.TrimLeft(p.rest, " \t") }

// separators takes spaces and commas and reports whether there was a comma.
func (p *challengeParser) separators() bool {
	before := p.rest
	p.rest = strings.TrimLeft(p.rest, " \t,")
	return strings.Contains(before[:len(before)-len(p.rest)], ",")
}
