package okio

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

type modelOp struct {
	name string
	do   func(m *model, i int, b *Buffer)
}

var modelOps []modelOp

func init() { // breaks the cycle between the table and what refers to it

	modelOps = []modelOp{
		{"Write", func(m *model, i int, b *Buffer) {
			p := m.data(m.size())
			if n, err := b.Write(p); n != len(p) || err != nil {
				m.fail("%d, %v", n, err)
			}
			m.give(i, p)
		}},
		{"WriteString", func(m *model, i int, b *Buffer) {
			p := m.data(m.size())
			_, _ = b.WriteString(string(p))
			m.give(i, p)
		}},
		{"WriteByte", func(m *model, i int, b *Buffer) {
			for range m.next(5) {
				c := byte(m.next(256))
				_ = b.WriteByte(c)
				m.give(i, []byte{c})
			}
		}},
		{"WriteRune", func(m *model, i int, b *Buffer) {
			r := []rune{'a', 'é', '€', '𝄞', 0xd800, 0x110000, -1}[m.next(7)]
			n, _ := b.WriteRune(r)
			p := utf8.AppendRune(nil, r)
			if n != len(p) {
				m.fail("width %d", n)
			}
			m.give(i, p)
		}},
		{"WriteUint", func(m *model, i int, b *Buffer) {
			v := uint64(m.next(1<<30))<<34 | uint64(m.next(1<<30))
			switch m.next(6) {
			case 0:
				b.WriteUint16(uint16(v))
				m.give(i, binary.BigEndian.AppendUint16(nil, uint16(v)))
			case 1:
				b.WriteUint32(uint32(v))
				m.give(i, binary.BigEndian.AppendUint32(nil, uint32(v)))
			case 2:
				b.WriteUint64(v)
				m.give(i, binary.BigEndian.AppendUint64(nil, v))
			case 3:
				b.WriteUint16LE(uint16(v))
				m.give(i, binary.LittleEndian.AppendUint16(nil, uint16(v)))
			case 4:
				b.WriteUint32LE(uint32(v))
				m.give(i, binary.LittleEndian.AppendUint32(nil, uint32(v)))
			default:
				b.WriteUint64LE(v)
				m.give(i, binary.LittleEndian.AppendUint64(nil, v))
			}
		}},
		{"WriteNumber", func(m *model, i int, b *Buffer) {
			v := int64(m.next(1<<30)) << m.next(34)
			if m.next(2) == 0 {
				v = -v
			}
			b.WriteDecimal(v)
			b.WriteHex(uint64(v))
			m.give(i, []byte(strconv.FormatInt(v, 10)+strconv.FormatUint(uint64(v), 16)))
		}},
		{"ReadFrom", func(m *model, i int, b *Buffer) {
			p := m.data(m.size())
			n, err := b.ReadFrom(struct{ io.Reader }{bytes.NewReader(p)})
			if n != int64(len(p)) || err != nil {
				m.fail("%d, %v", n, err)
			}
			m.give(i, p)
		}},
		{"Read", func(m *model, i int, b *Buffer) {
			p := make([]byte, m.size())
			n, err := b.Read(p)
			want := min(len(p), len(m.want[i]))
			if n != want || (err == io.EOF) != (len(m.want[i]) == 0 && len(p) > 0) {
				m.fail("%d, %v, want %d", n, err, want)
			}
			if !bytes.Equal(p[:n], m.take(i, n)) {
				m.fail("wrong bytes")
			}
		}},
		{"ReadByte", func(m *model, i int, b *Buffer) {
			c, err := b.ReadByte()
			if want := m.short(i, 1); err != want {
				m.fail("%v, want %v", err, want)
			}
			if err != nil {
				return
			}
			if c != m.want[i][0] {
				m.fail("%x", c)
			}
			if m.next(2) == 0 {
				if m.next(2) == 0 {
					p := m.data(m.size())
					_, _ = b.Write(p)
					m.give(i, p)
				}
				if err := b.UnreadByte(); err != nil {
					m.fail("%v", err)
				}
				return
			}
			m.take(i, 1)
		}},
		{"ReadRune", func(m *model, i int, b *Buffer) {
			r, size, err := b.ReadRune()
			wantR, wantSize, wantErr := modelRune(m.want[i])
			if r != wantR || size != wantSize || err != wantErr {
				m.fail("%q %d %v, want %q %d %v", r, size, err, wantR, wantSize, wantErr)
			}
			if err == nil && m.next(2) == 0 {
				if err := b.UnreadRune(); err != nil {
					m.fail("%v", err)
				}
				return
			}
			m.take(i, size)
		}},
		{"ReadUint", func(m *model, i int, b *Buffer) {
			var got, want uint64
			var err error
			var width int
			p := append(m.want[i][:min(8, len(m.want[i])):min(8, len(m.want[i]))], make([]byte, 8)...)
			switch m.next(6) {
			case 0:
				v, e := b.ReadUint16()
				got, err, width, want = uint64(v), e, 2, uint64(binary.BigEndian.Uint16(p))
			case 1:
				v, e := b.ReadUint32()
				got, err, width, want = uint64(v), e, 4, uint64(binary.BigEndian.Uint32(p))
			case 2:
				v, e := b.ReadUint64()
				got, err, width, want = v, e, 8, binary.BigEndian.Uint64(p)
			case 3:
				v, e := b.ReadUint16LE()
				got, err, width, want = uint64(v), e, 2, uint64(binary.LittleEndian.Uint16(p))
			case 4:
				v, e := b.ReadUint32LE()
				got, err, width, want = uint64(v), e, 4, uint64(binary.LittleEndian.Uint32(p))
			default:
				v, e := b.ReadUint64LE()
				got, err, width, want = v, e, 8, binary.LittleEndian.Uint64(p)
			}
			if wantErr := m.short(i, width); err != wantErr || err == nil && got != want {
				m.fail("width %d: %x %v, want %x %v", width, got, err, want, wantErr)
			}
			if err == nil {
				m.take(i, width)
			}
		}},
		{"ReadNumber", func(m *model, i int, b *Buffer) {
			n := 0
			if m.next(2) == 0 {
				got, err := b.ReadDecimal()
				for n < len(m.want[i]) && (n == 0 && m.want[i][n] == '-' || '0' <= m.want[i][n] && m.want[i][n] <= '9') {
					n++
				}
				want, wantErr := strconv.ParseInt(string(m.want[i][:n]), 10, 64)
				if (err != nil) != (wantErr != nil) || got != want && err == nil {
					m.fail("%d %v, want %d %v", got, err, want, wantErr)
				}
				if err != nil {
					n = 0
				}
			} else {
				got, err := b.ReadHex()
				for n < len(m.want[i]) && strings.IndexByte("0123456789abcdefABCDEF", m.want[i][n]) >= 0 {
					n++
				}
				want, wantErr := strconv.ParseUint(string(m.want[i][:n]), 16, 64)
				if (err != nil) != (wantErr != nil) || got != want && err == nil {
					m.fail("%d %v, want %d %v", got, err, want, wantErr)
				}
				if err != nil {
					n = 0
				}
			}
			m.take(i, n)
		}},
		{"ReadN", func(m *model, i int, b *Buffer) {
			n := m.some(len(m.want[i])) + m.next(2)
			p, err := b.ReadN(int64(n))
			if want := m.short(i, n); err != want {
				m.fail("%v, want %v", err, want)
			}
			if err == nil && !bytes.Equal(p, m.take(i, n)) {
				m.fail("wrong bytes")
			}
		}},
		{"ReadText", func(m *model, i int, b *Buffer) {
			n := m.some(len(m.want[i])) + m.next(2)
			s, err := b.ReadByteString(int64(n))
			if want := m.short(i, n); err != want {
				m.fail("%v, want %v", err, want)
			}
			if err == nil && string(s) != string(m.take(i, n)) {
				m.fail("wrong bytes")
			}
		}},
		{"ReadLine", func(m *model, i int, b *Buffer) {
			lf := bytes.IndexByte(m.want[i], '\n')
			if m.next(2) == 0 {
				s, err := b.ReadLine()
				line, end := m.want[i], len(m.want[i])
				if lf >= 0 {
					line, end = bytes.TrimSuffix(m.want[i][:lf], []byte("\r")), lf+1
				}
				if s != string(line) || (err == io.EOF) != (len(m.want[i]) == 0) {
					m.fail("%q %v, want %q", s, err, line)
				}
				m.take(i, end)
				return
			}
			limit := m.next(70)
			s, err := b.ReadLineLimit(int64(limit))
			var line []byte
			ok := lf >= 0
			if ok {
				line = bytes.TrimSuffix(m.want[i][:lf], []byte("\r"))
				ok = len(line) <= limit
			}
			if ok != (err == nil) || ok && s != string(line) {
				m.fail("limit %d: %q %v, want %q", limit, s, err, line)
			}
			if ok {
				m.take(i, lf+1)
			}
		}},
		{"Skip", func(m *model, i int, b *Buffer) {
			n := m.some(len(m.want[i])) + m.next(2)
			err := b.Skip(int64(n))
			if want := m.short(i, n); err != want {
				m.fail("%v, want %v", err, want)
			}
			m.take(i, min(n, len(m.want[i])))
		}},
		{"Clear", func(m *model, i int, b *Buffer) {
			b.Clear()
			m.want[i] = nil
		}},
		{"WriteBuffer", modelMove},
		{"WriteBuffer", modelMove},
		{"WriteBuffer", modelMove},
		{"ReadBuffer", func(m *model, i int, b *Buffer) {
			j := (i + 1 + m.next(len(m.bufs)-1)) % len(m.bufs)
			most := m.size()
			n, err := m.bufs[j].ReadBuffer(b, int64(most))
			if int(n) != min(most, len(m.want[j])) || (err == io.EOF) != (most > 0 && len(m.want[j]) == 0) {
				m.fail("%d, %v", n, err)
			}
			m.give(i, m.take(j, int(n)))
		}},
		{"WriteTo", func(m *model, i int, b *Buffer) {
			var out bytes.Buffer
			n, err := b.WriteTo(&out)
			if n != int64(len(m.want[i])) || err != nil || !bytes.Equal(out.Bytes(), m.want[i]) {
				m.fail("%d, %v", n, err)
			}
			m.want[i] = nil
		}},
		{"Clone", func(m *model, i int, b *Buffer) {
			j := (i + 1 + m.next(len(m.bufs)-1)) % len(m.bufs)
			m.bufs[j].Clear()
			m.bufs[j] = b.Clone()
			m.want[j] = m.want[i]
		}},
		{"aside", func(m *model, i int, b *Buffer) {
			if len(m.aside) < 4 {
				m.aside = append(m.aside, b.Clone())
				m.asideW = append(m.asideW, m.want[i])
				return
			}
			k := m.next(len(m.aside))
			m.checkBytes()
			m.aside[k].Clear()
			m.aside[k], m.asideW[k] = b.Clone(), m.want[i]
		}},
		{"CopyTo", func(m *model, i int, b *Buffer) {
			j := m.next(len(m.bufs))
			off := m.some(len(m.want[i]))
			n := m.some(len(m.want[i]) - off)
			m.note("to %d, %d at %d", j, n, off)
			if err := b.CopyTo(m.bufs[j], int64(off), int64(n)); err != nil {
				m.fail("%v", err)
			}
			m.give(j, m.want[i][off:off+n])
			if b.CopyTo(m.bufs[j], int64(off), b.Len()+1) == nil {
				m.fail("copied beyond the end")
			}
		}},
		{"Peek", func(m *model, i int, b *Buffer) {
			s := NewBufferedSource(b)
			first := m.some(len(m.want[i]))
			_, _ = s.Request(int64(first))
			p := s.Peek()
			ahead := m.some(len(m.want[i]))
			if got := mustText(m.t, p, int64(ahead)); got != string(m.want[i][:ahead]) {
				m.fail("peeked wrong bytes")
			}
			_ = p.Close()
			if got := mustText(m.t, s, int64(first)); got != string(m.take(i, first)) {
				m.fail("read wrong bytes after a peek")
			}
			rest := s.Buffer()
			move(m.t, rest, b, int(b.Len()))
			move(m.t, b, rest, int(rest.Len()))
		}},
		{"PeekN", func(m *model, i int, b *Buffer) {
			n := min(m.some(len(m.want[i])), segmentSize)
			p, err := b.PeekN(n)
			if err != nil || !bytes.Equal(p, m.want[i][:n]) {
				m.fail("%v", err)
			}
		}},
		{"Reserve", func(m *model, i int, b *Buffer) {
			least := 1 + m.next(segmentSize)
			room := b.Reserve(least)
			if len(room) < least {
				m.fail("%d bytes of %d", len(room), least)
			}
			p := m.data(m.next(len(room) + 1))
			copy(room, p)
			if m.next(3) == 0 && modelDisturb(m, i, b) {
				func() {
					defer func() {
						if recover() == nil {
							m.fail("Commit of what was reserved before the buffer changed")
						}
					}()
					b.Commit(len(p))
				}()
				return
			}
			if m.next(4) > 0 {
				b.Commit(len(p))
				m.give(i, p)
			}
		}},
		{"IndexByte", func(m *model, i int, b *Buffer) {
			from := m.some(len(m.want[i]) + 2)
			to := from + m.size()
			c := "ab\n9z"[m.next(5)]
			want := -1
			for k := from; k < min(to, len(m.want[i])) && want < 0; k++ {
				if m.want[i][k] == c {
					want = k
				}
			}
			if got := b.IndexByte(c, int64(from), int64(to)); got != int64(want) {
				m.fail("[%d, %d): %d, want %d", from, to, got, want)
			}
		}},
		{"Index", func(m *model, i int, b *Buffer) {
			var needle []byte
			if at := m.some(len(m.want[i])); at < len(m.want[i]) && m.next(3) > 0 {
				needle = m.want[i][at:min(len(m.want[i]), at+1+m.size())]
			} else {
				needle = m.data(1 + m.next(6))
			}
			from := m.some(len(m.want[i]) + 2)
			to := from + m.size()
			want := -1
			if from <= len(m.want[i]) {
				window := m.want[i][from:min(len(m.want[i]), to+len(needle)-1)]
				if k := bytes.Index(window, needle); k >= 0 && from < to {
					want = from + k
				}
			}
			if got := b.Index(ByteString(needle), int64(from), int64(to)); got != int64(want) {
				m.fail("%d bytes in [%d, %d): %d, want %d", len(needle), from, to, got, want)
			}
		}},
		{"IndexAny", func(m *model, i int, b *Buffer) {
			chars := []string{"", "b", "z9", "\r\n", "zyx-"}[m.next(5)]
			from := m.some(len(m.want[i]) + 2)
			want := -1
			for k := from; k < len(m.want[i]) && want < 0; k++ {
				if strings.IndexByte(chars, m.want[i][k]) >= 0 {
					want = k
				}
			}
			if got := b.IndexAny(NewByteSet(chars), int64(from)); got != int64(want) {
				m.fail("%q from %d: %d, want %d", chars, from, got, want)
			}
		}},
		{"RangeEqual", func(m *model, i int, b *Buffer) {
			off := m.some(len(m.want[i]))
			p := bytes.Clone(m.want[i][off : off+m.some(len(m.want[i])-off)])
			if !b.RangeEqual(int64(off), ByteString(p)) {
				m.fail("unequal to itself")
			}
			if len(p) > 0 {
				p[m.next(len(p))] ^= 1
				if b.RangeEqual(int64(off), ByteString(p)) {
					m.fail("equal to something else")
				}
			}
			if b.RangeEqual(int64(off), ByteString(m.want[i][off:])+"x") {
				m.fail("equal beyond the end")
			}
		}},
		{"At", func(m *model, i int, b *Buffer) {
			if n := len(m.want[i]); n > 0 {
				if k := m.next(n); b.At(int64(k)) != m.want[i][k] {
					m.fail("wrong byte at %d", k)
				}
			}
		}},
		{"Equal", func(m *model, i int, b *Buffer) {
			for j, o := range m.bufs {
				if b.Equal(o) != bytes.Equal(m.want[i], m.want[j]) {
					m.fail("%d and %d", i, j)
				}
			}
		}},
		{"Snapshot", func(m *model, i int, b *Buffer) {
			if string(b.Snapshot()) != string(m.want[i]) {
				m.fail("wrong bytes")
			}
			sum := sha256.Sum256(m.want[i])
			if b.Sum(sha256.New()) != ByteString(sum[:]) {
				m.fail("wrong hash")
			}
		}},
		{"Select", func(m *model, i int, b *Buffer) {
			list := []ByteString{"aab", "a", "b\n", "\n", "0129", "01"}
			o, err := NewOptions(list...)
			if err != nil {
				m.fail("%v", err)
			}
			want := -1
			for k, option := range list {
				if bytes.HasPrefix(m.want[i], []byte(option)) {
					want = k
					break
				}
			}
			if got := b.Select(o); got != want {
				m.fail("%d, want %d", got, want)
			}
			if want >= 0 {
				m.take(i, len(list[want]))
			}
		}},
	}
}

// modelDisturb does something with a buffer between Reserve and Commit that leaves the contents as they are, and reports
// whether Commit has to refuse.
func modelDisturb(m *model, i int, b *Buffer) bool {
	switch m.next(4) {
	case 0:
		n := min(m.some(len(m.want[i])), segmentSize)
		joins := n > 0 && b.head.level() < n
		if p, err := b.PeekN(n); err != nil || !bytes.Equal(p, m.want[i][:n]) {
			m.fail("%v", err)
		}
		return joins
	case 1:
		_, err := b.ReadByte()
		if err == nil {
			err = b.UnreadByte()
		}
		if want := m.short(i, 1); err != want {
			m.fail("%v, want %v", err, want)
		}
		return err == nil
	case 2:
		if _, _, err := b.ReadRune(); err != nil {
			return false
		}
		if err := b.UnreadRune(); err != nil {
			m.fail("%v", err)
		}
		return true
	default:
		b.Clone().Clear()
		return false
	}
}

func modelMove(m *model, i int, b *Buffer) {
	j := (i + 1 + m.next(len(m.bufs)-1)) % len(m.bufs)
	n := m.some(len(m.want[j]))
	m.note("from %d, %d of %d", j, n, len(m.want[j]))
	move(m.t, b, m.bufs[j], n)
	m.give(i, m.take(j, n))
}

// modelRune is what ReadRune promises, for a whole slice.
func modelRune(p []byte) (rune, int, error) {
	if len(p) == 0 {
		return 0, 0, io.EOF
	}
	width := 1
	switch c := p[0]; {
	case c >= 0xc0 && c < 0xe0:
		width = 2
	case c >= 0xe0 && c < 0xf0:
		width = 3
	case c >= 0xf0 && c < 0xf8:
		width = 4
	}
	if len(p) < width {
		return 0, 0, io.ErrUnexpectedEOF
	}
	for i := 1; i < width; i++ {
		if p[i]&0xc0 != 0x80 {
			return utf8.RuneError, i, nil
		}
	}
	if r, n := utf8.DecodeRune(p[:width]); n == width {
		return r, n, nil
	}
	return utf8.RuneError, width, nil
}
