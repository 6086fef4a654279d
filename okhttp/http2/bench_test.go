package http2

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// benchServer answers each request with n bytes, or takes what it sends.
func benchServer(b *testing.B, n int64) *Conn {
	b.Helper()
	x, y := okio.ConnPair(256 << 10)
	client, server := NewClient(x, Config{}), NewServer(y, Config{MaxConcurrentStreams: 1000})
	chunk := make([]byte, 64<<10)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			s, _, last, err := server.Accept(time.Time{})
			if err != nil {
				return
			}
			answer := func() {
				var body okio.Buffer
				for !last {
					if _, err := s.Source().ReadBuffer(&body, 1<<20); err != nil {
						break
					}
					body.Clear()
				}
				if err := s.SendHead(200, nil, n == 0); err != nil {
					return
				}
				for left := n; left > 0; left -= int64(len(chunk)) {
					body.Write(chunk[:min(left, int64(len(chunk)))])
					if err := s.Sink().WriteBuffer(&body, body.Len()); err != nil {
						return
					}
				}
				_ = s.Sink().Close()
			}
			if last && n < 1000 {
				answer()
			} else {
				all.Go(answer)
			}
		}
	})
	b.Cleanup(func() {
		client.Close()
		server.Close()
		all.Wait()
	})
	return client
}

// get runs one exchange and returns how much came.
func get(c *Conn, fields []string, buffer *okio.Buffer) (n int64, err error) {
	s, err := c.Open(getRequest, fields, true)
	if err != nil {
		return 0, err
	}
	_ = s.Sink().Flush()
	if _, _, err := s.ReadHead(); err != nil {
		return 0, err
	}
	for err == nil {
		var more int64
		more, err = s.Source().ReadBuffer(buffer, 1<<20)
		n += more
		buffer.Clear()
	}
	_ = s.Source().Close()
	if err == io.EOF {
		err = nil
	}
	return n, err
}

var benchFields = []string{"user-agent", "bench", "accept-encoding", "gzip", "accept", "*/*"}

func BenchmarkExchange(b *testing.B) {
	c := benchServer(b, 100)
	var buffer okio.Buffer
	b.ReportAllocs()
	for b.Loop() {
		if n, err := get(c, benchFields, &buffer); n != 100 || err != nil {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkExchange64(b *testing.B) {
	c := benchServer(b, 100)
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		var buffer okio.Buffer
		for pb.Next() {
			if n, err := get(c, benchFields, &buffer); n != 100 || err != nil {
				b.Error(n, err)
				return
			}
		}
	})
}

const benchSize = 64 << 20

func BenchmarkDownload(b *testing.B) {
	c := benchServer(b, benchSize)
	var buffer okio.Buffer
	b.SetBytes(benchSize)
	b.ReportAllocs()
	for b.Loop() {
		if n, err := get(c, nil, &buffer); n != benchSize || err != nil {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkUpload(b *testing.B) {
	c := benchServer(b, 0)
	chunk := make([]byte, 64<<10)
	var body okio.Buffer
	b.SetBytes(benchSize)
	b.ReportAllocs()
	head := getRequest
	head.Method = "POST"
	for b.Loop() {
		s, err := c.Open(head, nil, false)
		if err != nil {
			b.Fatal(err)
		}
		for range benchSize / len(chunk) {
			body.Write(chunk)
			if err := s.Sink().WriteBuffer(&body, body.Len()); err != nil {
				b.Fatal(err)
			}
		}
		_ = s.Sink().Close()
		if _, _, err := s.ReadHead(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExchangeOfTheClient has a peer that makes nothing of its own, so that what is counted is the client's.
func BenchmarkExchangeOfTheClient(b *testing.B) {
	x, y := okio.ConnPair(256 << 10)
	client := NewClient(x, Config{})
	go answerPlainly(y)
	b.Cleanup(func() {
		client.Close()
		y.Close()
	})
	var buffer okio.Buffer
	b.ReportAllocs()
	for b.Loop() {
		if n, err := get(client, benchFields, &buffer); n != 100 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// answerPlainly answers each HEADERS with a head and 100 bytes.
func answerPlainly(conn net.Conn) {
	in := make([]byte, 64<<10)
	have := 0
	if _, err := io.ReadFull(conn, in[:len(ClientPreface)]); err != nil {
		return
	}
	var out [256]byte
	conn.Write(append(AppendSettings(out[:0]), AppendWindowUpdate(nil, 0, 1<<20)...))
	for {
		n, err := conn.Read(in[have:])
		if err != nil {
			return
		}
		have += n
		at := 0
		for have-at >= FrameHeaderLen {
			h := ParseFrameHeader(in[at:])
			if have-at < FrameHeaderLen+h.Length {
				break
			}
			if at += FrameHeaderLen + h.Length; h.Type == FrameHeaders {
				answer := FrameHeader{Length: 1, Type: FrameHeaders, Flags: FlagEndHeaders, Stream: h.Stream}.Append(out[:0])
				answer = AppendDataHeader(append(answer, 0x88), h.Stream, 100, true)
				conn.Write(answer[:len(answer)+100])
			}
		}
		have = copy(in, in[at:have])
	}
}
