package okio

import (
	"io"
	"math"
	"strconv"
)

// A NumberError reports digits that are no number. Nothing was consumed.
type NumberError struct {
	// Problem says what was expected and what came, for example "expected a digit or '-' but was 0x20" or
	// "number too large: 9223372036854775808".
	Problem string
}

// Error returns the problem with the package's prefix.
func (e *NumberError) Error() string { return "okio: " + e.Problem }

// maxDigits bounds how much a number may keep buffered, since leading zeros never end it.
const maxDigits = 4 * segmentSize

var errTooManyDigits = &NumberError{Problem: "number of more than " + strconv.Itoa(maxDigits) + " characters"}

func hexByte(c byte) string {
	const digits = "0123456789abcdef"
	return "0x" + string([]byte{digits[c>>4], digits[c&15]})
}

// decimalScan reads a decimal number that arrives in pieces.
type decimalScan struct {
	value    int64 // accumulated as a negative number, so that the minimum fits
	n        int64 // bytes that belong to the number
	negative bool
	digits   bool
	err      error
}

// feed takes the next piece and reports whether the end of the number is known.
func (d *decimalScan) feed(p []byte) bool {
	for _, c := range p {
		digit := int64(c) - '0'
		if digit < 0 || digit > 9 {
			switch {
			case c == '-' && d.n == 0:
				d.negative = true
				d.n++
				continue
			case d.n == 0:
				d.err = &NumberError{Problem: "expected a digit or '-' but was " + hexByte(c)}
			case !d.digits:
				d.err = &NumberError{Problem: "expected a digit but was " + hexByte(c)}
			}
			return true
		}
		if d.value < math.MinInt64/10 || d.value*10 < math.MinInt64+digit || (!d.negative && d.value*10-digit == math.MinInt64) {
			text := strconv.FormatInt(d.value, 10) + string(c)
			if !d.negative {
				text = text[1:]
			}
			d.err = &NumberError{Problem: "number too large: " + text}
			return true
		}
		d.value = d.value*10 - digit
		d.digits = true
		d.n++
		if d.n > maxDigits {
			d.err = errTooManyDigits
			return true
		}
	}
	return false
}

// finish returns the number and its width when no more bytes come or are wanted.
func (d *decimalScan) finish() (int64, int64, error) {
	switch {
	case d.err != nil:
		return 0, 0, d.err
	case d.n == 0:
		return 0, 0, io.EOF
	case !d.digits:
		return 0, 0, io.ErrUnexpectedEOF
	case d.negative:
		return d.value, d.n, nil
	default:
		return -d.value, d.n, nil
	}
}

// hexScan reads a hexadecimal number that arrives in pieces.
type hexScan struct {
	value uint64
	n     int64
	err   error
}

func (x *hexScan) feed(p []byte) bool {
	for _, c := range p {
		digit, ok := hexDigit(c)
		if !ok {
			if x.n == 0 {
				x.err = &NumberError{Problem: "expected leading [0-9a-fA-F] character but was " + hexByte(c)}
			}
			return true
		}
		if x.value>>60 != 0 {
			x.err = &NumberError{Problem: "number too large: " + strconv.FormatUint(x.value, 16) + string(c)}
			return true
		}
		x.value = x.value<<4 | uint64(digit)
		x.n++
		if x.n > maxDigits {
			x.err = errTooManyDigits
			return true
		}
	}
	return false
}

func (x *hexScan) finish() (uint64, int64, error) {
	switch {
	case x.err != nil:
		return 0, 0, x.err
	case x.n == 0:
		return 0, 0, io.EOF
	default:
		return x.value, x.n, nil
	}
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
