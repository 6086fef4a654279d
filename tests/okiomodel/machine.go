package okiomodel

import (
	"bytes"
	"crypto/cipher"
	"crypto/rc4"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// buffers is how many buffers a machine has.
const buffers = 3

// A step is one operation: Kind is the name of it, On the buffer, From another one or the same, A and B numbers that the operation makes of what it
// needs.
type step struct {
	Kind     string
	On, From int
	A, B     int
}

// A machine is some buffers and what should be in them.
type machine struct {
	buf  [buffers]*okio.Buffer
	want [buffers][]byte
}

func newMachine() *machine {
	m := new(machine)
	for i := range m.buf {
		m.buf[i] = new(okio.Buffer)
	}
	return m
}

// do makes a step and returns what is wrong then.
func (m *machine) do(s step) error {
	if err := operations[s.Kind](m, s); err != nil {
		return fmt.Errorf("%+v: %w", s, err)
	}
	for _, i := range []int{s.On, s.From} {
		if have, want := m.buf[i].Len(), int64(len(m.want[i])); have != want {
			return fmt.Errorf("%+v: buffer %d has %d bytes, want %d", s, i, have, want)
		}
		const most = 200 << 10
		if len(m.want[i]) > most {
			m.buf[i].Clear()
			m.want[i] = nil
		}
	}
	return nil
}

// check compares all bytes.
func (m *machine) check() error {
	for i := range m.buf {
		if err := compare(m.buf[i], m.want[i]); err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
	}
	return nil
}

// clear gives everything back.
func (m *machine) clear() {
	for i := range m.buf {
		m.buf[i].Clear()
		m.want[i] = nil
	}
}

func compare(b *okio.Buffer, want []byte) error {
	at := 0
	for p := range b.Chunks() {
		if !bytes.HasPrefix(want[at:], p) {
			return fmt.Errorf("other bytes in the %d at %d", len(p), at)
		}
		at += len(p)
	}
	if at != len(want) || b.Len() != int64(at) {
		return fmt.Errorf("%d bytes, Len says %d, want %d", at, b.Len(), len(want))
	}
	return nil
}

// give appends to the model. It never writes to an array that somebody else may see.
func (m *machine) give(i int, p []byte) {
	m.want[i] = append(m.want[i][:len(m.want[i]):len(m.want[i])], p...)
}

func (m *machine) take(i, n int) []byte {
	p := m.want[i][:n]
	m.want[i] = m.want[i][n:]
	return p
}

// part is a number of bytes that buffer i has.
func (m *machine) part(i, a int) int { return a % (len(m.want[i]) + 1) }

// pattern makes n bytes that tell from where they are.
func pattern(n, seed int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(seed + i + i>>8)
	}
	return p
}

func expect(what string, err, want error) error {
	if !errors.Is(err, want) || want == nil && err != nil {
		return fmt.Errorf("%s: %v, want %v", what, err, want)
	}
	return nil
}

func equal(got, want []byte) error {
	if !bytes.Equal(got, want) {
		return fmt.Errorf("got %d bytes %.20q, want %d bytes %.20q", len(got), got, len(want), want)
	}
	return nil
}

// short is the error of a demand of n bytes of buffer i.
func (m *machine) short(i, n int) error {
	switch have := len(m.want[i]); {
	case n <= have:
		return nil
	case have == 0:
		return io.EOF
	default:
		return io.ErrUnexpectedEOF
	}
}

func keyStream() cipher.Stream {
	x, err := rc4.NewCipher([]byte("a key for tests"))
	if err != nil {
		panic(err) // the key is long enough
	}
	return x
}

// operations are what a step can be.
var operations = map[string]func(m *machine, s step) error{
	"write": func(m *machine, s step) error {
		p := pattern(s.A%70000, s.B)
		n, err := m.buf[s.On].Write(p)
		m.give(s.On, p)
		return errors.Join(err, countOf(n, len(p)))
	},
	"write byte": func(m *machine, s step) error {
		m.give(s.On, []byte{byte(s.A)})
		return m.buf[s.On].WriteByte(byte(s.A))
	},
	"write number": func(m *machine, s step) error {
		m.buf[s.On].WriteUint64(uint64(s.A))
		m.buf[s.On].WriteDecimal(int64(s.B))
		var p []byte
		for shift := 56; shift >= 0; shift -= 8 {
			p = append(p, byte(uint64(s.A)>>shift))
		}
		m.give(s.On, fmt.Append(p, s.B))
		return nil
	},
	"reserve": func(m *machine, s step) error {
		room := m.buf[s.On].Reserve(1 + s.A%16384)
		if len(room) < 1+s.A%16384 {
			return fmt.Errorf("%d bytes of room", len(room))
		}
		n := s.B % (len(room) + 1)
		p := pattern(n, s.A)
		copy(room, p)
		m.buf[s.On].Commit(n)
		m.give(s.On, p)
		return nil
	},
	"move": func(m *machine, s step) error {
		n := m.part(s.From, s.A)
		err := m.buf[s.On].WriteBuffer(m.buf[s.From], int64(n))
		if s.On == s.From {
			if err == nil {
				return errors.New("moved into itself")
			}
			return nil
		}
		m.give(s.On, m.take(s.From, n))
		return err
	},
	"move all": func(m *machine, s step) error {
		if s.On == s.From {
			return nil
		}
		all := len(m.want[s.From])
		m.give(s.On, m.take(s.From, all))
		return m.buf[s.On].WriteBuffer(m.buf[s.From], int64(all))
	},
	"copy": func(m *machine, s step) error {
		off := m.part(s.From, s.A)
		n := s.B % (len(m.want[s.From]) - off + 1)
		m.give(s.On, m.want[s.From][off:off+n])
		return m.buf[s.From].CopyTo(m.buf[s.On], int64(off), int64(n))
	},
	"clone": func(m *machine, s step) error {
		if s.On == s.From {
			return nil
		}
		m.buf[s.On].Clear()
		m.buf[s.On] = m.buf[s.From].Clone()
		m.want[s.On] = m.want[s.From]
		return nil
	},
	"read": func(m *machine, s step) error {
		n := s.A % 40000
		p := make([]byte, n)
		got, err := m.buf[s.On].Read(p)
		have := min(n, len(m.want[s.On]))
		var want error
		if have == 0 && n > 0 {
			want = io.EOF
		}
		return errors.Join(expect("read", err, want), countOf(got, have), equal(p[:got], m.take(s.On, have)))
	},
	"read n": func(m *machine, s step) error {
		n := s.A % 40000
		want := m.short(s.On, n)
		p, err := m.buf[s.On].ReadN(int64(n))
		if want != nil {
			return expect("read", err, want)
		}
		return errors.Join(err, equal(p, m.take(s.On, n)))
	},
	"read and unread": func(m *machine, s step) error {
		want := m.short(s.On, 1)
		c, err := m.buf[s.On].ReadByte()
		if want != nil {
			return expect("read", err, want)
		}
		if c != m.want[s.On][0] {
			return fmt.Errorf("byte %#x, want %#x", c, m.want[s.On][0])
		}
		return errors.Join(err, m.buf[s.On].UnreadByte())
	},
	"skip": func(m *machine, s step) error {
		n := m.part(s.On, s.A)
		m.take(s.On, n)
		return m.buf[s.On].Skip(int64(n))
	},
	"peek": func(m *machine, s step) error {
		n := min(m.part(s.On, s.A), 16384)
		p, err := m.buf[s.On].PeekN(n)
		return errors.Join(err, equal(p, m.want[s.On][:n]))
	},
	"index": func(m *machine, s step) error {
		from := m.part(s.On, s.B)
		want := int64(bytes.IndexByte(m.want[s.On][from:], byte(s.A)))
		if want >= 0 {
			want += int64(from)
		}
		if got := m.buf[s.On].IndexByte(byte(s.A), int64(from), int64(len(m.want[s.On]))); got != want {
			return fmt.Errorf("byte %#x from %d at %d, want %d", byte(s.A), from, got, want)
		}
		return nil
	},
	"at": func(m *machine, s step) error {
		if len(m.want[s.On]) == 0 {
			return nil
		}
		i := s.A % len(m.want[s.On])
		if got := m.buf[s.On].At(int64(i)); got != m.want[s.On][i] {
			return fmt.Errorf("at %d: %#x, want %#x", i, got, m.want[s.On][i])
		}
		return nil
	},
	"compare": func(m *machine, s step) error {
		if got, want := m.buf[s.On].Equal(m.buf[s.From]), bytes.Equal(m.want[s.On], m.want[s.From]); got != want {
			return fmt.Errorf("equal: %v, want %v", got, want)
		}
		return nil
	},
	"hash": func(m *machine, s step) error {
		if s.On == s.From {
			return nil
		}
		n := m.part(s.From, s.A)
		k := okio.NewHashingSink(m.buf[s.On], sha256.New())
		p := m.take(s.From, n)
		m.give(s.On, p)
		err := k.WriteBuffer(m.buf[s.From], int64(n))
		want := sha256.Sum256(p)
		return errors.Join(err, equal([]byte(k.Hash()), want[:]))
	},
	// A cipher changes bytes where they lie: none of those that others share.
	"encrypt": func(m *machine, s step) error {
		if s.On == s.From {
			return nil
		}
		n := m.part(s.From, s.A)
		p := bytes.Clone(m.take(s.From, n))
		keyStream().XORKeyStream(p, p)
		m.give(s.On, p)
		k := okio.NewStreamCipherSink(m.buf[s.On], keyStream())
		return errors.Join(k.WriteBuffer(m.buf[s.From], int64(n)), k.Close())
	},
	"clear": func(m *machine, s step) error {
		m.buf[s.On].Clear()
		m.want[s.On] = nil
		return nil
	},
}

func countOf(got, want int) error {
	if got != want {
		return fmt.Errorf("count %d, want %d", got, want)
	}
	return nil
}
