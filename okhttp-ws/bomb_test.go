package okws

import (
	"bytes"
	"compress/flate"
	"io"
	"runtime"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// bomb returns a message that inflates to 1 GiB, or less under the race detector, and to how many bytes. Deflate makes at most 1032 of one, so that it takes almost 1 MiB:
// less than what a client lets its peer send after a close frame, so that the peer gets that before the end.
func bomb(t *testing.T) (packed []byte, size int64) {
	const unit = 32 << 20
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 9)
	must(t, err)
	_, _ = w.Write(make([]byte, unit))
	_ = w.Flush() // so that the same can follow
	times := 1 << 5
	if underRace {
		times = 1 << 1
	}
	packed = bytes.Repeat(b.Bytes(), times)
	if len(packed)+8<<10 > lingerBytes+4<<10 { // the heads of a thousand fragments, and what was read before the limit
		t.Fatalf("%d bytes are more than a peer may send", len(packed))
	}
	return packed, int64(times) * unit
}

// bombed sends a compressed message in so many fragments, of which the last may be missing, and returns what a client makes of it and how much memory that took.
func bombed(t *testing.T, packed []byte, fragments int, endless, stream bool, limit int64) (took uint64, err error) {
	c, h := end(t, true, &Config{MaxMessage: limit}, extensions{deflate: true})
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		each := len(packed) / fragments
		for i := range fragments {
			p := packed[i*each:]
			if i < fragments-1 {
				p = p[:each]
			}
			head := header{op: opContinuation, fin: i == fragments-1 && !endless, length: int64(len(p))}
			if i == 0 {
				head.op, head.rsv1 = opBinary, true
			}
			if h.push(appendHeader(nil, head)) != nil || h.push(p) != nil {
				return
			}
		}
	}()
	heard := make(chan string)
	go func() { heard <- h.rest() }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if stream {
		var r io.Reader
		if _, r, err = c.NextReader(t.Context()); err == nil {
			_, err = io.Copy(io.Discard, r)
		}
	} else {
		_, _, err = c.Read(t.Context())
	}
	runtime.ReadMemStats(&after)
	got := <-heard
	if text := okio.ByteString(unhex(t, got)); len(text) != 8 || Code(text[6]^text[2])<<8|Code(text[7]^text[3]) != CodeTooBig {
		t.Errorf("the peer got %s", got)
	}
	h.Socket.Cancel(nil)
	<-sent
	return after.TotalAlloc - before.TotalAlloc, err
}

// Fact 83, of which deflate can do no more than that 1 GiB comes of 1 MiB, not of 32 KiB: in one frame and over fragments, with an end and without, read whole and as a
// stream, it is 1009, and memory in proportion to the limit.
func TestBomb(t *testing.T) {
	packed, size := bomb(t)
	for _, fragments := range []int{1, 7, 1000} {
		for _, stream := range []bool{true, false} {
			for _, limit := range []int64{4 << 20, 32 << 20} {
				bubble(t, func(t *testing.T) {
					took, err := bombed(t, packed, fragments, stream, stream, limit) // a stream does not wait for the end
					wantViolation(t, err, CodeTooBig, "inflated message is larger than the limit of")
					most := uint64(8*limit + 8<<20)
					if stream {
						most = 2 << 20
					}
					if underRace { // pools drop what they are given at random, and the fragments of the peer count too
						most += 32 << 20
					}
					if took > most {
						t.Errorf("%d bytes in %d fragments, stream %v, limit %d: it took %d bytes of %d", len(packed), fragments, stream, limit, took, size)
					}
				})
			}
		}
	}
}
