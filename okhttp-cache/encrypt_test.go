package okcache

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

var cryptKey = []byte("0123456789abcdef0123456789abcdef")

func encryptedDisk(t *testing.T, fsys okio.FileSystem, key []byte) Store {
	t.Helper()
	disk, err := NewDiskStore("/cache", 10<<20, DiskConfig{FileSystem: fsys})
	if err != nil {
		t.Fatal(err)
	}
	store, err := Encrypted(disk, key)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// The cache works as it does without encryption, and nothing readable is in the files.
func TestEncrypted(t *testing.T) {
	var fsys okio.FakeFileSystem
	fsys.EmulateUnix()
	atSiteOver(t, encryptedDisk(t, &fsys, cryptKey), Config{Ranges: true}, func(s *site) {
		body := strings.Repeat("0123456789", 20_000)
		s.will(reply("200 OK", body, "ETag: v1", "Cache-Control: max-age=1", "X-Secret: swordfish"), reply("304 X", "", "Cache-Control: max-age=60"))
		s.get("/secret-path", "200 "+body)
		s.get("/secret-path", "200 "+body)
		time.Sleep(2 * time.Second)
		s.get("/secret-path", "200 "+body) // which writes the head anew
		s.get("/secret-path", "200 "+body)
		s.get("/secret-path", "206 "+body[65_530:131_081], "Range: bytes=65530-131080")
		s.wantAsked(2)
		s.will(reply("200 OK", "", "Cache-Control: max-age=60"))
		s.get("/empty", "200 ")
		s.get("/empty", "200 ")
		n := 0
		for url := range s.cache.URLs() {
			n += len(url)
		}
		if n != len(origin+"/secret-path"+origin+"/empty") {
			t.Errorf("%d bytes of URLs", n)
		}
	})
	for _, p := range fsys.AllPaths() {
		if m, err := fsys.Metadata(p); err != nil || !m.Regular {
			continue
		}
		b, err := readAll(&fsys, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"swordfish", "secret-path", "site.test", "0123456789", keyOf(origin + "/secret-path")} {
			if bytes.Contains(b, []byte(secret)) || strings.Contains(p.String(), secret) {
				t.Errorf("%s tells %q", p, secret)
			}
		}
	}
}

func readAll(fsys okio.FileSystem, p okio.Path) ([]byte, error) {
	src, err := fsys.Source(p)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var b okio.Buffer
	for {
		if _, err := src.ReadBuffer(&b, 1<<20); err == io.EOF {
			return b.ReadN(b.Len())
		} else if err != nil {
			return nil, err
		}
	}
}

func writeFile(t *testing.T, fsys okio.FileSystem, p okio.Path, content []byte) {
	t.Helper()
	k, err := fsys.Sink(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := okio.NewBufferedSink(k)
	w.Write(content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// put stores an entry of two values.
func put(t *testing.T, s Store, key, head, body string) {
	t.Helper()
	e, err := s.Edit(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeValue(e, metadataValue, []byte(head)); err != nil {
		t.Fatal(err)
	}
	if err := writeValue(e, bodyValue, []byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := e.Commit(); err != nil {
		t.Fatal(err)
	}
}

// pick reads both values of an entry.
func pick(s Store, key string) (head, body string, err error) {
	snapshot, err := s.Get(key)
	if err != nil {
		return "", "", err
	}
	defer snapshot.Close()
	if head, err = readMetadata(snapshot); err != nil {
		return "", "", err
	}
	p, err := io.ReadAll(sourceReader{snapshot.Source(bodyValue)})
	return head, string(p), err
}

// Whatever is changed in the files, nobody reads anything else than what was written.
func TestEncryptedIsTamperProof(t *testing.T) {
	const key, other = "11af91b07c2f696ac9e7c60356870dc1", "182ccedb33a9e03fbf1079b209da1a31"
	body := strings.Repeat("x", 2*cryptPiece+100)
	for name, tamper := range map[string]func(own, foreign [2][]byte) [2][]byte{
		"a bit of the head":     func(f, _ [2][]byte) [2][]byte { f[0][cryptHeader+3] ^= 1; return f },
		"a bit of the body":     func(f, _ [2][]byte) [2][]byte { f[1][cryptHeader+cryptPiece+cryptTag+7] ^= 1; return f },
		"a bit of the salt":     func(f, _ [2][]byte) [2][]byte { f[1][40] ^= 1; return f },
		"a bit of the id":       func(f, _ [2][]byte) [2][]byte { f[1][20] ^= 1; return f },
		"both ids":              func(f, _ [2][]byte) [2][]byte { f[0][20] ^= 1; f[1][20] ^= 1; return f },
		"the word":              func(f, _ [2][]byte) [2][]byte { f[0][0] ^= 1; return f },
		"the body of another":   func(f, o [2][]byte) [2][]byte { f[1] = o[1]; return f },
		"both files of another": func(_, o [2][]byte) [2][]byte { return o },
		"head and body swapped": func(f, _ [2][]byte) [2][]byte { f[0], f[1] = f[1], f[0]; return f },
		"two pieces swapped": func(f, _ [2][]byte) [2][]byte {
			const piece = cryptPiece + cryptTag
			a := append([]byte(nil), f[1][cryptHeader:cryptHeader+piece]...)
			copy(f[1][cryptHeader:], f[1][cryptHeader+piece:cryptHeader+2*piece])
			copy(f[1][cryptHeader+piece:], a)
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			var fsys okio.FakeFileSystem
			fsys.EmulateUnix()
			store := encryptedDisk(t, &fsys, cryptKey)
			put(t, store, key, "head", body)
			put(t, store, other, "HEAD", strings.ToUpper(body))
			var files [2][2][]byte
			for i, k := range []string{key, other} {
				for v := range 2 {
					var err error
					if files[i][v], err = readAll(&fsys, okio.ParsePath("/cache/"+store.(*encryptedStore).hidden(k)+"."+string(byte('0'+v)))); err != nil {
						t.Fatal(err)
					}
				}
			}
			if head, got, err := pick(store, key); head != "head" || got != body || err != nil {
				t.Fatalf("%q, %d bytes, %v", head, len(got), err)
			}
			changed := tamper(files[0], files[1])
			for v, content := range changed {
				if len(content) != len(files[0][v]) {
					t.Skip("the store beneath notices the length")
				}
				writeFile(t, &fsys, okio.ParsePath("/cache/"+store.(*encryptedStore).hidden(key)+"."+string(byte('0'+v))), content)
			}
			head, got, err := pick(store, key)
			if err == nil || head != "" && head != "head" || !strings.HasPrefix(body, got) {
				t.Errorf("%q, %d bytes, %v", head, len(got), err)
			}
			store.Close()
		})
	}
}

// A file that was cut at the end of a piece is not taken for whole, even if the store beneath does not notice.
func TestEncryptedCut(t *testing.T) {
	inner := NewMemoryStore(10 << 20)
	store, err := Encrypted(inner, cryptKey)
	if err != nil {
		t.Fatal(err)
	}
	const key = "11af91b07c2f696ac9e7c60356870dc1"
	put(t, store, key, "head", strings.Repeat("x", 2*cryptPiece))
	hidden := store.(*encryptedStore).hidden(key)
	snapshot, err := inner.Get(hidden)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := io.ReadAll(io.LimitReader(sourceReader{snapshot.Source(bodyValue)}, cryptHeader+cryptPiece+cryptTag))
	if err != nil {
		t.Fatal(err)
	}
	e, err := snapshot.Edit()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeValue(e, bodyValue, cut); err != nil {
		t.Fatal(err)
	}
	if err := e.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, body, err := pick(store, key); err == nil || body != "" {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

func TestEncryptedKeys(t *testing.T) {
	for _, n := range []int{0, 8, 31, 33} {
		if _, err := Encrypted(NewMemoryStore(1), make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes", n)
		}
	}
	inner := NewMemoryStore(1 << 20)
	for _, n := range []int{16, 24, 32} {
		store, err := Encrypted(inner, cryptKey[:n])
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := pick(store, "k"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("found with another key: %v", err)
		}
		put(t, store, "k", "head", "")
		if head, body, err := pick(store, "k"); head != "head" || body != "" || err != nil {
			t.Errorf("%q, %q, %v", head, body, err)
		}
		e, err := store.Edit("half")
		if err != nil {
			t.Fatal(err)
		}
		writeValue(e, metadataValue, []byte("head"))
		if err := e.Commit(); err == nil {
			t.Error("half an entry")
		}
	}
	n := 0
	store, _ := Encrypted(inner, cryptKey)
	for snapshot, err := range store.Snapshots() {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readMetadata(snapshot); err == nil {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d entries of this key", n)
	}
}
