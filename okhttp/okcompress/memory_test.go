package okcompress_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// What the largest window takes is what the documentation says.
func TestZstdMemory(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(8<<20), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 40 {
		_, _ = w.Write(zeros)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC() // twice, for what the pools hold
	runtime.GC()
	runtime.ReadMemStats(&before)
	src, err := okcompress.Zstd().Decoder(okio.NewBufferString(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	out := okio.NewBufferedSource(src)
	if err := out.Skip(30 << 20); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 12<<20 {
		t.Errorf("%d KiB are held", held>>10)
	} else {
		t.Logf("%d KiB are held", held>>10)
	}
	if n, err := io.Copy(io.Discard, out); n != 10<<20 || err != nil {
		t.Error(n, err)
	}
}
