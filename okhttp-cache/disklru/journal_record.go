package disklru

import (
	"bytes"
	"fmt"
	"strconv"
)

// The first line of a journal and its format version, the second one.
const (
	journalMagic   = "libcore.io.DiskLruCache"
	journalVersion = "1"
)

// maxKey is the greatest length of a key.
const maxKey = 120

// An operation is the first word of a record.
type operation uint8

const (
	opClean operation = iota
	opDirty
	opRemove
	opRead
)

var operationWords = [...]string{opClean: "CLEAN", opDirty: "DIRTY", opRemove: "REMOVE", opRead: "READ"}

// appendHeader appends the five lines that a journal starts with.
func appendHeader(b []byte, appVersion, valueCount int) []byte {
	return fmt.Appendf(b, "%s\n%s\n%d\n%d\n\n", journalMagic, journalVersion, appVersion, valueCount)
}

// appendRecord appends a record, with lengths for opClean only.
func appendRecord(b []byte, op operation, key string, lengths []int64) []byte {
	b = append(b, operationWords[op]...)
	b = append(b, ' ')
	b = append(b, key...)
	if op == opClean {
		for _, n := range lengths {
			b = append(b, ' ')
			b = strconv.AppendInt(b, n, 10)
		}
	}
	return append(b, '\n')
}

// A record is a line of the journal. Its key is a part of that.
type record struct {
	op      operation
	key     []byte
	lengths []int64
}

// parseRecord takes a line without its end apart. It puts the lengths into those given, whose number is that of the values.
func parseRecord(line []byte, lengths []int64) (record, error) {
	word, rest, found := bytes.Cut(line, []byte(" "))
	if !found {
		return record{}, lineError(line)
	}
	key, rest, more := bytes.Cut(rest, []byte(" "))
	r := record{key: key}
	switch string(word) {
	case "CLEAN":
		r.op = opClean
	case "DIRTY":
		r.op = opDirty
	case "REMOVE":
		r.op = opRemove
	case "READ":
		r.op = opRead
	default:
		return record{}, lineError(line)
	}
	if more != (r.op == opClean) || !validKey(key) {
		return record{}, lineError(line)
	}
	if r.op == opClean {
		if !parseLengths(rest, lengths) {
			return record{}, lengthsError(rest)
		}
		r.lengths = lengths
	}
	return r, nil
}

// parseLengths reads exactly as many lengths as there is room for.
func parseLengths(text []byte, lengths []int64) bool {
	for i := range lengths {
		item, rest, more := bytes.Cut(text, []byte(" "))
		if more == (i == len(lengths)-1) {
			return false
		}
		n, ok := parseLength(item)
		if !ok {
			return false
		}
		lengths[i], text = n, rest
	}
	return true
}

// parseLength reads a decimal of at most 63 bits, with a sign or without.
func parseLength(item []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(item), 10, 64) // the conversion does not allocate
	return n, err == nil && n >= 0
}

// validKey reports whether key is one that an entry can have.
func validKey[T string | []byte](key T) bool {
	if len(key) == 0 || len(key) > maxKey {
		return false
	}
	for i := range len(key) {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

func lineError(line []byte) error {
	return corruptError("unexpected journal line: " + shown(line))
}

func lengthsError(items []byte) error {
	return corruptError("unexpected journal line: [" + shown(bytes.ReplaceAll(items, []byte(" "), []byte(", "))) + "]")
}

// maxShown bounds what of a journal gets into a log.
const maxShown = 200

// shown returns the text of a line as it is, or quoted if it is not plain, and not all of a long one.
func shown(line []byte) string {
	rest := ""
	if len(line) > maxShown {
		line, rest = line[:maxShown], "..."
	}
	for _, c := range line {
		if c < ' ' || c > '~' {
			return strconv.QuoteToASCII(string(line)) + rest
		}
	}
	return string(line) + rest
}
