package okcache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/okhttp-go/ok/okhttp-cache/relay"
	"github.com/okhttp-go/ok/okio"
)

// Where neither disk nor memory takes a long download, who reads it as it comes goes on; who is far behind cannot, and is told why.
func TestSpillFull(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	told := 0
	file := newSpill(func() { told++ })
	file.most = 1 << 20
	text := make([]byte, 5<<20)
	for i := range text {
		text[i] = byte(i * i >> 10)
	}
	r, err := relay.New(okio.NewFileHandle(file), okio.FromReader(bytes.NewReader(text)), relay.Config{})
	if err != nil {
		t.Fatal(err)
	}
	quick, _ := r.NewSource(context.Background())
	slow, _ := r.NewSource(context.Background())
	defer slow.Close()
	got, err := io.ReadAll(okio.NewBufferedSource(quick))
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if told != 1 || len(file.rest) > file.most {
		t.Errorf("told %d times, %d bytes", told, len(file.rest))
	}
	got, err = io.ReadAll(okio.NewBufferedSource(slow))
	if !errors.Is(err, errSpillFull) || !bytes.HasPrefix(text, got) || len(got) < spillMemory/2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
