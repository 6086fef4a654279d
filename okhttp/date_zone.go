package okhttp

import "github.com/okhttp-go/ok/okhttp/internal/ascii"

// dateZones are the zones that dates name, in minutes east of Greenwich: those of RFC 5322 section 4.3, and others that mean one thing.
// A name with several meanings (IST, BST) is not here, nor are the letters of the military, whose signs RFC 822 had wrong.
var dateZones = []struct {
	name    string
	minutes int
}{
	{"GMT", 0}, {"UTC", 0}, {"UT", 0}, {"Z", 0},
	{"EST", -5 * 60}, {"EDT", -4 * 60}, {"CST", -6 * 60}, {"CDT", -5 * 60},
	{"MST", -7 * 60}, {"MDT", -6 * 60}, {"PST", -8 * 60}, {"PDT", -7 * 60},
	{"AKST", -9 * 60}, {"AKDT", -8 * 60}, {"HST", -10 * 60},
	{"WET", 0}, {"WEST", 1 * 60}, {"CET", 1 * 60}, {"CEST", 2 * 60}, {"MEZ", 1 * 60}, {"MESZ", 2 * 60}, {"EET", 2 * 60}, {"EEST", 3 * 60},
	{"MSK", 3 * 60}, {"JST", 9 * 60}, {"KST", 9 * 60}, {"AEST", 10 * 60}, {"AEDT", 11 * 60}, {"NZST", 12 * 60}, {"NZDT", 13 * 60},
}

// readZone reads a name, an offset, or "GMT" with an offset, and reports whether there is one that is known.
func (p *dateParser) readZone() bool {
	name := p.word()
	if name == "" {
		return p.readOffset()
	}
	for i, zone := range dateZones {
		if ascii.EqualFold(name, zone.name) {
			if i < 3 && len(p.rest) >= 2 && (p.rest[0] == '+' || p.rest[0] == '-') && isDigitByte(p.rest[1]) {
				return p.readOffset()
			}
			p.offset = zone.minutes * 60
			return true
		}
	}
	return false
}

// readOffset reads a sign and h, hh, hhmm or hh:mm. It takes nothing if that is not what comes.
func (p *dateParser) readOffset() bool {
	start := p.rest
	negative := p.skip('-')
	if !negative && !p.skip('+') {
		return false
	}
	before := len(p.rest)
	hours, ok := p.number(1, 4)
	minutes := 0
	switch digits := before - len(p.rest); {
	case digits == 4:
		hours, minutes = hours/100, hours%100
	case digits == 3:
		ok = false
	case len(p.rest) >= 2 && p.rest[0] == ':' && isDigitByte(p.rest[1]):
		p.skip(':')
		minutes, ok = p.number(2, 2)
	}
	if !ok || hours > 23 || minutes > 59 {
		p.rest = start
		return false
	}
	p.offset = hours*3600 + minutes*60
	if negative {
		p.offset = -p.offset
	}
	return true
}
