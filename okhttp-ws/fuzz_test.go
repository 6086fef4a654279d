package okws

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// FuzzReader has a peer send anything, in either role, whole and in pieces, which must come to the same.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"8105 48656c6c6f", "818537fa213d7f9f4d5158", "c107f248cdc9c90700", "4104f248cdc9 8003c90700", "010348656c 8a00 80026c6f", "880203e9", "8800", "817e0005 48656c6c6f",
		"817f0000000000000005 48656c6c6f", "817f8000000000000000", "0102c3a9 8900 8001 80", "ca00", "8b00", "c18760b420bb92fced72a9b320",
		"8114 cebae1bdb9cf83cebcceb5 eda080 656469746564",
	} {
		for role := range uint8(8) {
			f.Add(unhexSeed(seed), role, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, p []byte, role, piece uint8) {
		client, deflate := role&1 != 0, role&2 != 0
		whole, wholeErr := readAll(p, client, deflate, len(p)+1, false)
		parts, partsErr := readAll(p, client, deflate, int(piece)+1, role&4 != 0)
		if !bytes.Equal(whole, parts) && (role&4 == 0 || !bytes.HasPrefix(whole, parts)) {
			t.Errorf("%q whole, %q in pieces", whole, parts)
		}
		// As a stream, what is wrong inside a message is found before its end.
		if a, b := kindOf(wholeErr), kindOf(partsErr); a != b && (role&4 == 0 || !deflate) {
			t.Errorf("%v whole, %v in pieces", wholeErr, partsErr)
		}
	})
}

func unhexSeed(s string) []byte {
	p, err := okio.DecodeHex(string(bytes.ReplaceAll([]byte(s), []byte(" "), nil)))
	if err != nil {
		panic(err)
	}
	return []byte(p)
}

// kindOf is what an error is about.
func kindOf(err error) string {
	var broken *ProtocolError
	var closed *CloseError
	switch {
	case errors.As(err, &broken) && broken.Err == nil:
		return broken.Detail
	case errors.As(err, &broken):
		return "damaged"
	case errors.As(err, &closed):
		return err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "end"
	}
	return "other"
}

// piecewise is a source that gives a few bytes at a time.
type piecewise struct {
	rest  []byte
	piece int
}

func (s *piecewise) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := min(len(s.rest), s.piece, int(most))
	_, _ = dst.Write(s.rest[:n])
	s.rest = s.rest[n:]
	return int64(n), nil
}

func (*piecewise) Close() error { return nil }

// deaf is a socket that only hears.
type deaf struct{ source piecewise }

func (d *deaf) Source() okio.Source { return &d.source }
func (*deaf) Sink() okio.Sink       { return okio.Discard() }
func (*deaf) Cancel(error)          {}

// readAll returns all messages that bytes hold, each with its type and length, and how they end.
func readAll(p []byte, client, deflate bool, piece int, stream bool) (all []byte, err error) {
	set, _ := (&Config{MaxMessage: 1 << 16}).settings()
	c := newConn(&deaf{piecewise{p, piece}}, set, client, extensions{deflate: deflate})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		var kind Type
		var data []byte
		if stream {
			var r io.Reader
			if kind, r, err = c.NextReader(ctx); err == nil {
				data, err = io.ReadAll(r)
			}
		} else {
			kind, data, err = c.Read(ctx)
		}
		if err != nil {
			<-c.Done()
			return all, err
		}
		all = append(append(all, byte(kind), byte(len(data)>>8), byte(len(data))), data...)
	}
}

// FuzzExtensions wants no header to do harm, and what was understood to be written and read again.
func FuzzExtensions(f *testing.F) {
	for _, seed := range []string{"permessage-deflate", ", permessage-deflate", "permessage-deflate; client_max_window_bits\t =\t \"8\"\t ", `a; b="c,;\""`, "permessage-deflate;;=;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := parseExtensions([]string{s})
		if e.deflate && !e.unknown {
			if again := parseExtensions([]string{e.String()}); again != e {
				t.Errorf("%q: %+v became %q, %+v", s, e, e.String(), again)
			}
		}
		for _, o := range parseOffers([]string{s}) {
			answer := (&Compression{PeerMaxWindowBits: 9}).accept([]extensions{o})
			if answer.deflate && !answer.acceptable(&Compression{OfferClientWindow: true}) {
				t.Errorf("%q: answered with %+v", s, answer)
			}
		}
	})
}
