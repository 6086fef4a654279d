package coding

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"testing/iotest"
)

// Decoder returns a reader of what r decodes to. An error may come at once or while reading.
type Decoder func(r io.Reader) (io.Reader, error)

// Case is one input.
type Case struct {
	Coding string
	ID     string
	In     []byte
	Expect string // ok, error, or policy if it is for the decoder to decide
	Why    string
	Len    *int // of what it decodes to, nil if that is not known
	SHA256 string
}

// Load reads the cases of one coding.
func Load(file, coding string) ([]Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var all []Case // encoding/json reads base64 into a []byte
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		return nil, err
	}
	var cases []Case
	for _, c := range all {
		if c.Coding == coding {
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// Outcome is one case decided.
type Outcome struct {
	Got   string // what the decoder did
	Wrong string // what is wrong with that, "" if nothing is; policy cases are wrong only if they decode to something else
}

// slowest is the longest input that is also fed byte by byte.
const slowest = 4096

// Run puts a case to a decoder, which must do the same however the input is cut.
func Run(c Case, decode Decoder) Outcome {
	o := c.run(&reader{c.In}, decode)
	if len(c.In) <= slowest {
		if slow := c.run(iotest.OneByteReader(&reader{c.In}), decode); slow != o && o.Wrong == "" {
			o.Wrong = "byte by byte: " + slow.Got
		}
	}
	return o
}

func (c *Case) run(r io.Reader, decode Decoder) Outcome {
	size, sum, err := drain(r, decode)
	if err != nil {
		o := Outcome{Got: "refuse: " + err.Error()}
		if c.Expect == "ok" {
			o.Wrong = "refused"
		}
		return o
	}
	o := Outcome{Got: fmt.Sprintf("decode to %d bytes", size)}
	switch {
	case c.Expect == "error":
		o.Wrong = "accepted"
	case c.Len != nil && (size != int64(*c.Len) || sum != c.SHA256):
		o.Wrong = fmt.Sprintf("other content, want %d bytes", *c.Len)
	}
	return o
}

var errTooLong = errors.New("more than 64 MiB")

func drain(r io.Reader, decode Decoder) (int64, string, error) {
	out, err := decode(r)
	if err != nil {
		return 0, "", err
	}
	h := sha256.New()
	const most = 64 << 20
	n, err := io.Copy(h, io.LimitReader(out, most+1))
	if err == nil && n > most {
		err = errTooLong
	}
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// reader has no method but Read, so that decoders cannot take a short cut.
type reader struct{ rest []byte }

func (r *reader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
