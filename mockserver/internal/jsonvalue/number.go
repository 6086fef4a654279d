package jsonvalue

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// CompareNumbers compares the values of two numbers, exactly and without the memory that a large exponent would take as an integer.
func CompareNumbers(a, b json.Number) int {
	x, y := decimalOf(string(a)), decimalOf(string(b))
	switch {
	case x.sign() != y.sign():
		return cmp.Compare(x.sign(), y.sign())
	case x.negative:
		return y.magnitude(x)
	}
	return x.magnitude(y)
}

// decimal is ±0.digits × 10^exponent, with neither the first nor the last of the digits 0.
type decimal struct {
	negative bool
	digits   string // "" for zero
	exponent int64
	huge     string // what an exponent of the text is, without a sign and zeros before it, that is beyond int64 by far
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) magnitude(e decimal) int {
	if n := cmp.Or(cmp.Compare(len(d.huge), len(e.huge)), strings.Compare(d.huge, e.huge)); n != 0 && (d.exponent < 0) == (e.exponent < 0) {
		if d.exponent < 0 {
			return -n
		}
		return n
	}
	if d.exponent != e.exponent {
		return cmp.Compare(d.exponent, e.exponent)
	}
	return strings.Compare(d.digits, e.digits)
}

func decimalOf(text string) (d decimal) {
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(text[i+1:], 10, 62)
		if err != nil { // out of range, and then the nearest in range, with the digits that tell it from others
			exponent, d.huge = 1<<60, strings.TrimLeft(text[i+1:], "+-0")
			if strings.HasPrefix(text[i+1:], "-") {
				exponent = -exponent
			}
		}
		text, d.exponent = text[:i], exponent
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent += int64(len(whole))
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent -= int64(len(whole) + len(fraction) - len(digits))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}
