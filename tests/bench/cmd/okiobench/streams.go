package main

import (
	"bufio"
	"bytes"
	stdgzip "compress/gzip"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"

	"github.com/klauspost/compress/gzip"

	"github.com/okhttp-go/ok/okio"
)

// prose makes text that compresses to about a third, always the same.
func prose(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		word := make([]byte, 2+random.IntN(9))
		for j := range word {
			word[j] = "etaoinshrdlucmfwyp"[random.IntN(18)]
		}
		words[i] = string(word)
	}
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[int(random.ExpFloat64()*300)%len(words)])
		b.WriteByte(' ')
	}
	return b.Bytes()[:n]
}

func compression() group {
	g := group{"gzip", "1 MiB of text, out of memory and into the void; klauspost is what okio uses.", nil}
	plain := prose(1 << 20)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, 6)
	must(err)
	must1(w.Write(plain))
	must(w.Close())
	wire := okio.NewBufferString(packed.String())
	stdReader := new(stdgzip.Reader)
	ownReader := new(gzip.Reader)
	out := make([]byte, 32<<10)
	// drain reads to the end, as WriteTo of klauspost would not.
	drain := func(r io.Reader) {
		for {
			_, err := r.Read(out)
			if err == io.EOF {
				return
			}
			must(err)
		}
	}
	in := bytes.NewReader(nil)
	inputs := bufio.NewReader(in)
	g.cases = append(g.cases, benchCase{"decompress", []contender{
		{"okio", func(n int) {
			for range n {
				s := okio.NewBufferedSource(okio.NewGzipSource(wire.Clone()))
				must1(s.ReadAllTo(okio.Discard()))
				must(s.Close())
			}
		}},
		{"compress/gzip", func(n int) {
			for range n {
				in.Reset(packed.Bytes())
				inputs.Reset(in)
				must(stdReader.Reset(inputs))
				drain(stdReader)
			}
		}},
		{"klauspost", func(n int) {
			for range n {
				in.Reset(packed.Bytes())
				inputs.Reset(in)
				must(ownReader.Reset(inputs))
				drain(ownReader)
			}
		}},
	}})

	source := okio.NewBufferString(string(plain))
	stdWriter, err := stdgzip.NewWriterLevel(io.Discard, 6)
	must(err)
	ownWriter, err := gzip.NewWriterLevel(io.Discard, 6)
	must(err)
	g.cases = append(g.cases, benchCase{"compress, level 6", []contender{
		{"okio", func(n int) {
			for range n {
				k, err := okio.NewGzipSink(okio.Discard(), 6)
				must(err)
				src := source.Clone()
				must(k.WriteBuffer(src, src.Len()))
				must(k.Close())
			}
		}},
		{"compress/gzip", func(n int) {
			for range n {
				stdWriter.Reset(io.Discard)
				must1(stdWriter.Write(plain))
				must(stdWriter.Close())
			}
		}},
		{"klauspost", func(n int) {
			for range n {
				ownWriter.Reset(io.Discard)
				must1(ownWriter.Write(plain))
				must(ownWriter.Close())
			}
		}},
	}})
	return g
}

// peerOf returns a loopback connection whose other end answers: each message is its length in 4 bytes, how long the answer is to be in 4 bytes,
// and the content.
func peerOf() net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		must(err)
		r := bufio.NewReaderSize(c, 64<<10)
		var head [8]byte
		answer := make([]byte, 1<<20)
		for {
			if _, err := io.ReadFull(r, head[:]); err != nil {
				return
			}
			must1(r.Discard(int(binary.BigEndian.Uint32(head[:]))))
			must1(c.Write(answer[:binary.BigEndian.Uint32(head[4:])]))
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	must(err)
	return c
}

func sockets() group {
	g := group{"socket", "A message goes out over loopback TCP and an answer comes in.", nil}
	for _, c := range []struct {
		name    string
		out, in int
	}{{"32 B and 32 B", 32, 32}, {"32 B and 64 KiB", 32, 64 << 10}, {"32 B and 1 MiB", 32, 1 << 20}, {"1 MiB and 32 B", 1 << 20, 32}} {
		socket := okio.NewSocket(peerOf())
		k, s := okio.NewBufferedSink(socket.Sink()), okio.NewBufferedSource(socket.Source())
		conn := peerOf()
		w, r := bufio.NewWriterSize(conn, 16<<10), bufio.NewReaderSize(conn, 16<<10)
		content := make([]byte, c.out)
		answer := make([]byte, min(c.in, 64<<10))
		var got okio.Buffer
		g.cases = append(g.cases, benchCase{c.name, []contender{
			{"okio, handed on", func(n int) {
				for range n {
					_ = k.WriteUint32(uint32(c.out)) // the first error sticks
					_ = k.WriteUint32(uint32(c.in))
					must1(k.Write(content))
					must(k.Flush())
					must(s.ReadFull(&got, int64(c.in)))
					got.Clear()
				}
			}},
			{"okio, copied out", func(n int) {
				for range n {
					_ = k.WriteUint32(uint32(c.out))
					_ = k.WriteUint32(uint32(c.in))
					must1(k.Write(content))
					must(k.Flush())
					for left := c.in; left > 0; {
						m, err := s.Read(answer[:min(left, len(answer))])
						must(err)
						left -= m
					}
				}
			}},
			{"net.Conn and bufio", func(n int) {
				var head [8]byte
				for range n {
					binary.BigEndian.PutUint32(head[:], uint32(c.out))
					binary.BigEndian.PutUint32(head[4:], uint32(c.in))
					must1(w.Write(head[:]))
					must1(w.Write(content))
					must(w.Flush())
					for left := c.in; left > 0; {
						m, err := r.Read(answer[:min(left, len(answer))])
						must(err)
						left -= m
					}
				}
			}},
		}})
	}
	return g
}
