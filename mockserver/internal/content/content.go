// Package content reads the bodies of requests for matchers and templates alike: decoded, within bounds, and once for as long as package memo is told to keep it.
//
// CONCURRENCY: all functions are safe for concurrent use. What they return is shared, and must not be changed.
package content

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
	"github.com/okhttp-go/ok/mockserver/internal/memo"
	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// Bounds of what is read.
const (
	maxDecoded = 16 << 20 // bytes that a compressed body is decoded to
	maxValues  = 1 << 18  // values of JSON: arrays, objects, their elements and members
)

// A Fault is why a body cannot be read: what was expected of it and what came.
type Fault struct{ Want, Got string }

// kind is what is kept of a request.
type kind int

const (
	decodedKind kind = iota
	jsonKind
)

type outcome[T any] struct {
	value T
	wrong *Fault
}

// Of returns the body of a request without its content codings (gzip, deflate, zstd).
func Of(r *mockserver.Request) ([]byte, *Fault) {
	o := memo.Of(r, decodedKind, func() (o outcome[[]byte], weight int) {
		o.value, o.wrong = decoded(r)
		return o, len(o.value)
	})
	return o.value, o.wrong
}

// JSON returns the value that a body is, which is one of package jsonvalue.
func JSON(r *mockserver.Request) (any, *Fault) {
	o := memo.Of(r, jsonKind, func() (o outcome[any], weight int) {
		body, wrong := Of(r)
		if wrong != nil {
			return outcome[any]{wrong: wrong}, 0
		}
		o.value, o.wrong = parsed(body, r.Body != nil)
		return o, len(body)
	})
	return o.value, o.wrong
}

func parsed(body []byte, there bool) (any, *Fault) {
	switch {
	case !there:
		return nil, &Fault{"JSON", "missing"}
	case jsonvalue.MoreThan(body, maxValues):
		return nil, &Fault{"JSON that can be compared", fmt.Sprintf("the body is too large to compare: more than %d values", maxValues)}
	}
	value, err := jsonvalue.Parse(body)
	if err != nil {
		return nil, &Fault{"JSON", Quote(string(body[:min(len(body), 8*Shown)])) + " (" + err.Error() + ")"}
	}
	return value, nil
}

func decoded(r *mockserver.Request) ([]byte, *Fault) {
	if r.BodySize > int64(len(r.Body)) {
		return nil, &Fault{"a body that was kept whole", fmt.Sprintf("cut off after %d of %d bytes", len(r.Body), r.BodySize)}
	}
	body := r.Body
	var codings []string
	for line := range r.Headers.Values("Content-Encoding") {
		for token := range strings.SplitSeq(line, ",") {
			if token = strings.ToLower(strings.TrimSpace(token)); token != "" && token != "identity" {
				codings = append(codings, token)
			}
		}
	}
	for _, coding := range slices.Backward(codings) {
		decoded, err := decode(coding, body)
		if err != nil {
			return nil, &Fault{"a body that can be decoded", coding + ": " + err.Error()}
		}
		body = decoded
	}
	return body, nil
}

func decode(coding string, body []byte) ([]byte, error) {
	for _, a := range []okcompress.Algorithm{okcompress.Gzip(), okcompress.Deflate(), okcompress.Zstd()} {
		if a.Token != strings.TrimPrefix(coding, "x-") {
			continue
		}
		buffer := new(okio.Buffer)
		if _, err := buffer.Write(body); err != nil {
			return nil, err
		}
		source, err := a.Decoder(buffer)
		if err != nil {
			return nil, err
		}
		decoded, err := io.ReadAll(io.LimitReader(okio.NewBufferedSource(source), maxDecoded+1))
		if err == nil && len(decoded) > maxDecoded {
			err = fmt.Errorf("more than %d bytes", maxDecoded)
		}
		if closed := source.Close(); err == nil {
			err = closed
		}
		return decoded, err
	}
	return nil, fmt.Errorf("a coding that is not known")
}

// Shown bounds what reports quote of a text.
const Shown = 120

// Quote quotes a text, the beginning of a long one, without the secrets that [target.Text] finds in it.
func Quote(text string) string {
	shown := target.Text(text[:min(len(text), 8*Shown)])
	if len(text) <= Shown {
		return strconv.Quote(shown)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(strings.ToValidUTF8(shown[:min(len(shown), Shown)], "")), len(text))
}
