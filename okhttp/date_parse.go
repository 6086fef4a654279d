package okhttp

import (
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// dateParser reads a date token by token. It allocates nothing.
type dateParser struct {
	rest string

	year, month, day int
	yearDigits       int
	hour, min, sec   int
	nsec             int
	offset           int // seconds east of Greenwich
}

// parseDate returns what is wrong, "" if nothing is. now tells which century a year of two digits is in.
func parseDate(s string, now func() time.Time) (time.Time, string) {
	var p dateParser
	if !p.fixdate(s) {
		p = dateParser{rest: s}
		if fault := p.parse(); fault != "" {
			return time.Time{}, fault
		}
	}
	if p.yearDigits == 2 {
		p.slideYear(now().UTC())
	}
	if p.day < 1 || p.day > daysIn(p.month, p.year) {
		return time.Time{}, "no such day in that month"
	}
	return p.at(p.year), ""
}

// parse reads the three orders that the parts come in:
//
//	weekday [","] day month year time zone
//	weekday [","] month day time year [zone]
//	weekday [","] month day year time zone
func (p *dateParser) parse() string {
	if n := prefixName(p.word(), weekdayNames); n == 0 {
		return "no day of the week"
	}
	if p.skip(',') {
		p.spaces()
	} else if !p.spaces() {
		return "no space after the day of the week"
	}
	if p.rest != "" && isDigitByte(p.rest[0]) {
		return p.parseDayFirst()
	}
	return p.parseMonthFirst()
}

func (p *dateParser) parseDayFirst() string {
	var ok bool
	if p.day, ok = p.number(1, 2); !ok {
		return "no day of the month"
	}
	dashes := p.skip('-')
	if !dashes && !p.spaces() {
		return "neither space nor dash after the day"
	}
	if p.month = prefixName(p.word(), monthNames); p.month == 0 {
		if p.month, ok = p.number(2, 2); !ok || !dashes || p.month < 1 || p.month > 12 {
			return "no month"
		}
	}
	if dashes && !p.skip('-') || !dashes && !p.spaces() {
		return "different separators around the month"
	}
	if fault := p.readYear(); fault != "" {
		return fault
	}
	return p.readTimeAndZone()
}

func (p *dateParser) parseMonthFirst() string {
	if p.month = prefixName(p.word(), monthNames); p.month == 0 {
		return "no month"
	}
	var ok bool
	if !p.spaces() {
		return "no space after the month"
	}
	if p.day, ok = p.number(1, 2); !ok {
		return "no day of the month"
	}
	if !p.spaces() {
		return "no space after the day"
	}
	if len(p.rest) >= 4 && isDigitByte(p.rest[1]) && isDigitByte(p.rest[2]) { // an hour ends before that
		if fault := p.readYear(); fault != "" {
			return fault
		}
		return p.readTimeAndZone()
	}
	if fault := p.readTime(); fault != "" {
		return fault
	}
	if !p.spaces() {
		return "no space after the time"
	}
	if fault := p.readYear(); fault != "" {
		return fault
	}
	if p.yearDigits != 4 {
		return "a year of two digits after the time"
	}
	if p.spaces() {
		p.readZone() // there need not be one: asctime's dates are in GMT
	}
	return ""
}

func (p *dateParser) readYear() string {
	before := len(p.rest)
	year, ok := p.number(2, 4)
	p.year, p.yearDigits = year, before-len(p.rest)
	if !ok || p.yearDigits == 3 {
		return "no year of two or four digits"
	}
	return ""
}

func (p *dateParser) readTimeAndZone() string {
	if !p.spaces() {
		return "no space after the year"
	}
	if fault := p.readTime(); fault != "" {
		return fault
	}
	if !p.spaces() {
		return "no zone"
	}
	if !p.readZone() {
		return "no zone that is known"
	}
	return ""
}

// readTime reads hours, minutes and seconds, between colons or dashes.
func (p *dateParser) readTime() string {
	var ok bool
	if p.hour, ok = p.number(1, 2); !ok || p.hour > 23 {
		return "no hour from 0 to 23"
	}
	colons := p.skip(':')
	if !colons && !p.skip('-') {
		return "no colon after the hour"
	}
	if p.min, ok = p.number(2, 2); !ok || p.min > 59 {
		return "no minute from 00 to 59"
	}
	if colons && !p.skip(':') || !colons && !p.skip('-') {
		return "no seconds"
	}
	if p.sec, ok = p.number(2, 2); !ok || p.sec > 60 {
		return "no second from 00 to 60"
	}
	if len(p.rest) >= 2 && (p.rest[0] == '.' || p.rest[0] == ',') && isDigitByte(p.rest[1]) {
		i := 1
		for unit := 100_000_000; i < len(p.rest) && isDigitByte(p.rest[i]); i++ {
			p.nsec += int(p.rest[i]-'0') * unit
			unit /= 10
		}
		p.rest = p.rest[i:]
	}
	return ""
}

// slideYear puts a year of two digits into the hundred years that begin 80 years before now. That is within what RFC 9110 section 5.6.7
// asks for: nothing is more than 50 years ahead.
func (p *dateParser) slideYear(now time.Time) {
	start := now.AddDate(-80, 0, 0)
	p.year += start.Year() - start.Year()%100
	if p.year < start.Year() || p.year == start.Year() && p.at(p.year).Before(start) {
		p.year += 100
	}
}

func (p *dateParser) at(year int) time.Time {
	return time.Date(year, time.Month(p.month), p.day, p.hour, p.min, p.sec-p.offset, p.nsec, time.UTC)
}

// number takes as many digits as there are, up to most, and reports whether there are enough of them and no more.
func (p *dateParser) number(least, most int) (n int, ok bool) {
	i := 0
	for ; i < len(p.rest) && i < most && isDigitByte(p.rest[i]); i++ {
		n = n*10 + int(p.rest[i]-'0')
	}
	ok = i >= least && (i == len(p.rest) || !isDigitByte(p.rest[i]))
	p.rest = p.rest[i:]
	return n, ok
}

// word takes the letters that come next, which may be none.
func (p *dateParser) word() string {
	i := 0
	for i < len(p.rest) && 'a' <= p.rest[i]|0x20 && p.rest[i]|0x20 <= 'z' {
		i++
	}
	word := p.rest[:i]
	p.rest = p.rest[i:]
	return word
}

func (p *dateParser) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// spaces takes all spaces and reports whether there was one.
func (p *dateParser) spaces() bool {
	before := len(p.rest)
	for p.skip(' ') || p.skip('\t') {
	}
	return len(p.rest) < before
}

func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }

var weekdayNames = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

var monthNames = []string{
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
}

// prefixName returns the number, from 1, of the name that word is, in full or in three letters; 0 if it is none of them.
func prefixName(word string, names []string) int {
	for i, name := range names {
		if ascii.EqualFold(word, name[:3]) || ascii.EqualFold(word, name) {
			return i + 1
		}
	}
	return 0
}

func daysIn(month, year int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// fixdate reads the one form that is common, where every part has its place, and reports whether s is of it.
func (p *dateParser) fixdate(s string) bool {
	if len(s) != len(dateFormat) || s[3] != ',' || s[4] != ' ' || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' ||
		s[19] != ':' || s[22] != ':' || s[25:] != " GMT" {
		return false
	}
	century, years := twoDigits(s[12:]), twoDigits(s[14:])
	p.day, p.hour, p.min, p.sec = twoDigits(s[5:]), twoDigits(s[17:]), twoDigits(s[20:]), twoDigits(s[23:])
	if min(century, years, p.day, p.hour, p.min, p.sec) < 0 || p.hour > 23 || p.min > 59 || p.sec > 60 {
		return false
	}
	p.year = century*100 + years
	p.month = prefixName(s[8:11], monthNames)
	return p.month != 0 && prefixName(s[:3], weekdayNames) != 0
}

// twoDigits returns the number at the start of s, -1 if there is none.
func twoDigits(s string) int {
	if !isDigitByte(s[0]) || !isDigitByte(s[1]) {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}
