package match

import (
	"errors"
	"regexp"
	"strings"

	bodies "github.com/okhttp-go/ok/mockserver/internal/content"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// A Pattern describes a text, or that there is none. The zero value is [Present].
type Pattern struct {
	kind  kind
	text  string
	parts []Pattern
	re    *regexp.Regexp
	err   error
}

type kind int

const (
	present kind = iota
	absent
	is
	isFold
	contains
	hasPrefix
	hasSuffix
	like
	isNot
	both
	either
)

// Is describes exactly that text.
func Is(text string) Pattern { return Pattern{kind: is, text: text} }

// IsFold describes that text in upper or lower case.
func IsFold(text string) Pattern { return Pattern{kind: isFold, text: text} }

// Contains describes texts with that in them.
func Contains(text string) Pattern { return Pattern{kind: contains, text: text} }

// HasPrefix describes texts that begin so.
func HasPrefix(text string) Pattern { return Pattern{kind: hasPrefix, text: text} }

// HasSuffix describes texts that end so.
func HasSuffix(text string) Pattern { return Pattern{kind: hasSuffix, text: text} }

// Regexp describes texts that are as a whole what the regular expression says, in the syntax of package regexp.
func Regexp(expr string) Pattern {
	p := Pattern{kind: like, text: expr}
	if _, p.err = regexp.Compile(expr); p.err == nil { // by itself first, for its messages and its parentheses
		p.re, p.err = regexp.Compile(`\A(?:` + expr + `)\z`)
	}
	return p
}

// Present describes any text, an empty one too.
func Present() Pattern { return Pattern{kind: present} }

// Absent describes that there is no text.
func Absent() Pattern { return Pattern{kind: absent} }

// IsNot describes what p does not. A text that is missing is described too, unless p is [Absent].
func IsNot(p Pattern) Pattern { return Pattern{kind: isNot, parts: []Pattern{p}, err: p.err} }

// Both describes texts that all of the patterns describe.
func Both(patterns ...Pattern) Pattern { return joined(both, patterns) }

// Either describes texts that one of the patterns describes.
func Either(patterns ...Pattern) Pattern { return joined(either, patterns) }

func joined(k kind, patterns []Pattern) Pattern {
	p := Pattern{kind: k, parts: patterns}
	var errs []error
	for _, part := range patterns {
		errs = append(errs, part.err)
	}
	p.err = errors.Join(errs...)
	return p
}

// Fits reports whether p describes text, or with there being false that there is none.
func (p Pattern) Fits(text string, there bool) bool {
	switch p.kind {
	case present:
		return there
	case absent:
		return !there
	case isNot:
		return p.err == nil && !p.parts[0].Fits(text, there)
	case both:
		for _, part := range p.parts {
			if !part.Fits(text, there) {
				return false
			}
		}
		return true
	case either:
		for _, part := range p.parts {
			if part.Fits(text, there) {
				return true
			}
		}
		return false
	}
	if !there || p.err != nil {
		return false
	}
	switch p.kind {
	case is:
		return text == p.text
	case isFold:
		return strings.EqualFold(text, p.text)
	case contains:
		return strings.Contains(text, p.text)
	case hasPrefix:
		return strings.HasPrefix(text, p.text)
	case hasSuffix:
		return strings.HasSuffix(text, p.text)
	}
	return p.re.MatchString(text)
}

// Err returns what is wrong with the pattern, nil if nothing is.
func (p Pattern) Err() error { return p.err }

// String says it in words.
func (p Pattern) String() string {
	switch p.kind {
	case present:
		return "any value"
	case absent:
		return "none"
	case is:
		return short(p.text)
	case isFold:
		return short(p.text) + " in any case"
	case contains:
		return "one with " + short(p.text)
	case hasPrefix:
		return "one that begins with " + short(p.text)
	case hasSuffix:
		return "one that ends with " + short(p.text)
	case like:
		return "one like /" + target.Text(p.text) + "/"
	case isNot:
		return "not " + p.parts[0].String()
	}
	word := " and "
	if p.kind == either {
		word = " or "
	}
	list := make([]string, len(p.parts))
	for i, part := range p.parts {
		list[i] = part.String()
	}
	if len(list) == 0 {
		return map[kind]string{both: "anything", either: "nothing"}[p.kind]
	}
	return strings.Join(list, word)
}

// shown is String, without the text of a secret.
func (p Pattern) shown(secret bool) string {
	if secret && p.kind != present && p.kind != absent {
		return "a certain value"
	}
	return p.String()
}

// distance is how far text, which does not fit, is from what does.
func (p Pattern) distance(text string, there bool) float64 {
	switch p.kind {
	case is, isFold, contains, hasPrefix, hasSuffix:
		if there {
			return distance(p.text, text)
		}
	case both:
		return p.mostOf(text, there)
	}
	return 1
}

func (p Pattern) mostOf(text string, there bool) (most float64) {
	for _, part := range p.parts {
		if !part.Fits(text, there) {
			most = max(most, part.distance(text, there))
		}
	}
	return most
}

// short quotes a text, the beginning of a long one.
func short(text string) string { return bodies.Quote(text) }

// got quotes a value that came, or says that none did.
func got(text string, there bool) string {
	if !there {
		return "missing"
	}
	return short(text)
}
