package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// groups are all the tables.
func groups() []group {
	return []group{chains(), moves(), searches(), lines(), pipes(), compression(), sockets()}
}

// must is for errors that only a bug of the benchmark itself can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// must1 drops a result.
func must1[T any](_ T, err error) { must(err) }

func sizeName(n int) string {
	switch {
	case n >= 1<<20:
		return itoa(n>>20) + " MiB"
	case n >= 1<<10:
		return itoa(n>>10) + " KiB"
	}
	return itoa(n) + " B"
}

func chains() group {
	g := group{"chain", "A message is written into one buffer, goes through a second into a third, and is read out.", nil}
	for _, size := range []int{64, 1 << 10, 16 << 10, 256 << 10} {
		message, out := make([]byte, size), make([]byte, size)
		var x, y, z okio.Buffer
		var p, q, r bytes.Buffer
		var mid bytes.Buffer
		w := bufio.NewWriter(&mid)
		in := bufio.NewReader(&mid)
		g.cases = append(g.cases, benchCase{sizeName(size), []contender{
			{"okio", func(n int) {
				for range n {
					must1(x.Write(message))
					must(y.WriteBuffer(&x, x.Len()))
					must(z.WriteBuffer(&y, y.Len()))
					must1(z.Read(out))
				}
			}},
			{"bytes.Buffer", func(n int) {
				for range n {
					must1(p.Write(message))
					must1(p.WriteTo(&q))
					must1(q.WriteTo(&r))
					must1(r.Read(out))
				}
			}},
			{"bufio", func(n int) {
				for range n {
					must1(w.Write(message))
					must(w.Flush())
					must1(io.ReadFull(in, out))
				}
			}},
		}})
	}
	return g
}

func moves() group {
	g := group{"move", "All that a buffer holds goes to another one, and next time back.", nil}
	for _, size := range []int{1 << 20, 64 << 20} {
		x, y := new(okio.Buffer), new(okio.Buffer)
		must1(x.Write(make([]byte, size)))
		p, q := new(bytes.Buffer), new(bytes.Buffer)
		p.Write(make([]byte, size))
		q.Grow(size)
		g.cases = append(g.cases, benchCase{sizeName(size), []contender{
			{"okio", func(n int) {
				for range n {
					must(y.WriteBuffer(x, x.Len()))
					x, y = y, x
				}
			}},
			{"bytes.Buffer", func(n int) {
				for range n {
					must1(p.WriteTo(q))
					p, q = q, p
				}
			}},
		}})
	}
	return g
}

func searches() group {
	g := group{"index", "The only LF is the last byte.", nil}
	for _, size := range []int{64, 4 << 10, 256 << 10} {
		text := strings.Repeat("x", size-1) + "\n"
		b := okio.NewBufferString(text)
		flat := []byte(text)
		want := int64(size - 1)
		check := func(at int64) {
			if at != want {
				panic("found at the wrong place")
			}
		}
		g.cases = append(g.cases, benchCase{sizeName(size), []contender{
			{"okio", func(n int) {
				for range n {
					check(b.IndexByte('\n', 0, b.Len()))
				}
			}},
			{"bytes.IndexByte", func(n int) {
				for range n {
					check(int64(bytes.IndexByte(flat, '\n')))
				}
			}},
			{"loop", func(n int) {
				for range n {
					at := 0
					for flat[at] != '\n' {
						at++
					}
					check(int64(at))
				}
			}},
		}})
	}
	return g
}
