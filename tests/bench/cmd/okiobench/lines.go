package main

import (
	"bufio"
	"bytes"
	"io"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

func itoa(n int) string { return strconv.Itoa(n) }

// lines reads text from a reader, so that all pay for getting it into their own memory.
func lines() group {
	g := group{"lines", "A MiB or so of lines that end in CR LF is read from an io.Reader, as strings or as views. One operation is one line.", nil}
	for _, length := range []int{38, 1000, 20000} {
		text := []byte(strings.Repeat(strings.Repeat("x", length-2)+"\r\n", 1<<20/length))
		count := 1 << 20 / length
		in := bytes.NewReader(text)
		// Each reads the text over and over: one readLine a line, and start to begin with the first.
		each := func(start func(), readLine func() int) func(n int) {
			return func(n int) {
				for n > 0 {
					in.Reset(text)
					start()
					for range min(n, count) {
						if readLine() != length-2 {
							panic("a line of another length")
						}
					}
					n -= count
				}
			}
		}
		var s *okio.BufferedSource
		startOkio := func() {
			if s != nil {
				must(s.Close())
			}
			s = okio.NewBufferedSource(okio.FromReader(in))
		}
		r := bufio.NewReader(nil)
		startBufio := func() { r.Reset(in) }
		tp := textproto.NewReader(r)
		g.cases = append(g.cases,
			benchCase{"strings of " + sizeName(length), []contender{
				{"okio ReadLine", each(startOkio, func() int {
					line, err := s.ReadLine()
					must(err)
					return len(line)
				})},
				{"textproto ReadLine", each(startBufio, func() int {
					line, err := tp.ReadLine()
					must(err)
					return len(line)
				})},
				{"bufio ReadString", each(startBufio, func() int {
					line, err := r.ReadString('\n')
					must(err)
					return len(strings.TrimRight(line, "\r\n"))
				})},
			}},
			benchCase{"views of " + sizeName(length), []contender{
				{"okio LineView", each(startOkio, func() int {
					line, err := s.LineView(1 << 20)
					must(err)
					return len(line)
				})},
				{"textproto ReadLineBytes", each(startBufio, func() int {
					line, err := tp.ReadLineBytes()
					must(err)
					return len(line)
				})},
				{"bufio ReadSlice", each(startBufio, func() int {
					total := 0
					for {
						line, err := r.ReadSlice('\n')
						total += len(line)
						if err == bufio.ErrBufferFull {
							continue
						}
						must(err)
						return total - 2
					}
				})},
			}})
	}
	return g
}

func pipes() group {
	g := group{"pipe", "4 MiB go from one goroutine to another. A pipe of okio holds up to 256 KiB.", nil}
	const total = 4 << 20
	for _, block := range []int{8 << 10, 64 << 10} {
		piece := make([]byte, block)
		write := func(w io.Writer) {
			for range total / block {
				must1(w.Write(piece))
			}
		}
		okioPipe := func(read func(s *okio.BufferedSource)) func(n int) {
			return func(n int) {
				for range n {
					p := okio.NewPipe(256 << 10)
					go func() {
						k := okio.NewBufferedSink(p.Sink())
						write(k)
						must(k.Close())
					}()
					s := okio.NewBufferedSource(p.Source())
					read(s)
					must(s.Close())
				}
			}
		}
		out := make([]byte, block)
		readOut := func(r io.Reader) {
			for range total / block {
				must1(io.ReadFull(r, out))
			}
		}
		g.cases = append(g.cases, benchCase{"blocks of " + sizeName(block), []contender{
			{"okio, handed on", okioPipe(func(s *okio.BufferedSource) { must1(s.ReadAllTo(okio.Discard())) })},
			{"okio, copied out", okioPipe(func(s *okio.BufferedSource) { readOut(s) })},
			{"io.Pipe", func(n int) {
				for range n {
					r, w := io.Pipe()
					go func() {
						write(w)
						must(w.Close())
					}()
					readOut(r)
					must(r.Close())
				}
			}},
		}})
	}
	return g
}
