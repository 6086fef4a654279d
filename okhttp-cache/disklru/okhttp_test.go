package disklru

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// okhttpExpected is what the program that wrote the directories says of them.
type okhttpExpected struct {
	Size    int64
	Entries []struct {
		URL, Key, BodySha256 string
		BodyLength           int64
		StoredLength         int64
	}
	Absent []struct{ Key string }
	Order  []string `json:"urlsInOrderOfCacheUrlsIterator"`
}

// openOkHttp opens a copy of a directory that OkHttp wrote.
func openOkHttp(t *testing.T, name string) (*Store, okhttpExpected) {
	t.Helper()
	text, err := os.ReadFile("../testdata/okhttp/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected okhttpExpected
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../testdata/okhttp", name))); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	store, err := Open(okio.ParsePath(dir), Options{AppVersion: 201105, ValueCount: 2, MaxSize: 10 << 20, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil || log.Len() > 0 {
		t.Fatalf("%v %s", err, log.String())
	}
	t.Cleanup(func() { _ = store.Close() })
	return store, expected
}

func (e okhttpExpected) check(t *testing.T, store *Store, partial bool) {
	t.Helper()
	snapshot, err := store.Get(okhttpPartial)
	if partial != (err == nil) {
		t.Errorf("/partial: got %v", err)
	}
	if err == nil {
		_ = snapshot.Close()
	}
	for _, want := range e.Entries {
		snapshot, err := store.Get(want.Key)
		if err != nil {
			t.Errorf("%s: %v", want.URL, err)
			continue
		}
		meta, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(0)))
		if err != nil || !strings.HasPrefix(string(meta), want.URL+"\n") {
			t.Errorf("%s: %v, metadata %q", want.URL, err, meta)
		}
		body, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(1)))
		sum := sha256.Sum256(body)
		if err != nil || snapshot.Length(1) != want.StoredLength || want.StoredLength == want.BodyLength && hex.EncodeToString(sum[:]) != want.BodySha256 {
			t.Errorf("%s: %v, length %d, body of %d bytes", want.URL, err, snapshot.Length(1), len(body))
		}
		_ = snapshot.Close()
	}
	for _, absent := range e.Absent {
		if _, err := store.Get(absent.Key); err != ErrNotFound {
			t.Errorf("%s: got %v", absent.Key, err)
		}
	}
}

// okhttpPartial is the entry that was being written when the process died.
const okhttpPartial = "8f3b2f0e24e8ea8c4bd46781d2d0b549"

func TestOkHttpDirectory(t *testing.T) {
	store, expected := openOkHttp(t, "cache")
	journal := filepath.Join(store.Directory().String(), "journal")
	before, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := store.Size(); err != nil || size != expected.Size {
		t.Errorf("size %d, %v, want %d", size, err, expected.Size)
	}
	expected.check(t, store, true)
	for _, read := range []int{1, 1, 8} { // as OkHttp read them before it listed all
		snapshot, err := store.Get(expected.Entries[read].Key)
		if err != nil {
			t.Fatal(err)
		}
		_ = snapshot.Close()
	}
	it := store.Snapshots()
	var urls []string
	for it.Next() {
		line, err := okio.NewBufferedSource(it.Snapshot().Source(0)).ReadLine()
		if err != nil {
			t.Error(err)
		}
		urls = append(urls, line)
	}
	_ = it.Close()
	if !slices.Equal(urls, expected.Order) {
		t.Errorf("got order %q\nwant %q", urls, expected.Order)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	after, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	appended, ok := bytes.CutPrefix(after, before)
	if !ok || !bytes.HasPrefix(appended, []byte("READ "+okhttpPartial+"\nREAD "+expected.Entries[0].Key+"\n")) {
		t.Errorf("the journal is now %s", after)
	}
}

func TestOkHttpDirectoryAfterCrash(t *testing.T) {
	store, expected := openOkHttp(t, "cache-crashed")
	if size, err := store.Size(); err != nil || size != 109346 {
		t.Errorf("size %d, %v, want 109346", size, err)
	}
	expected.check(t, store, false)
	temporary, err := filepath.Glob(filepath.Join(store.Directory().String(), "*.tmp"))
	if err != nil || len(temporary) > 0 {
		t.Errorf("there are %v, %v", temporary, err)
	}
}
