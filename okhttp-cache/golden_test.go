package okcache

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Section 2.5: a directory that was written here, byte for byte: store, hit, close.
func TestGoldenDirectory(t *testing.T) {
	var fsys okio.FakeFileSystem
	fsys.EmulateUnix()
	store, err := NewDiskStore("/cache", 1<<20, DiskConfig{FileSystem: &fsys})
	if err != nil {
		t.Fatal(err)
	}
	atSiteOver(t, store, Config{}, func(s *site) {
		s.will(reply("200 OK", "hello", "Cache-Control: max-age=60", "Vary: Accept-Language"))
		s.get("/hello.txt", "200 hello", "Accept-Language: fr-CA")
		time.Sleep(time.Second)
		s.get("/hello.txt", "200 hello", "Accept-Language: fr-CA")
	})
	const millis int64 = 946684800000 // the year 2000, when bubbles begin
	head := fmt.Sprintf("http://site.test/hello.txt\nGET\n1\nAccept-Language: fr-CA\nHTTP/1.1 200 OK\n5\nCache-Control: max-age=60\nVary: Accept-Language\n"+
		"Content-Length: 5\nOkHttp-Sent-Millis: %d\nOkHttp-Received-Millis: %d\n", millis, millis)
	key := keyOf("http://site.test/hello.txt")
	for name, want := range map[string]string{
		"journal":  "libcore.io.DiskLruCache\n1\n201105\n2\n\nDIRTY " + key + "\nCLEAN " + key + fmt.Sprintf(" %d 5\nREAD ", len(head)) + key + "\n",
		key + ".0": head,
		key + ".1": "hello",
	} {
		got, err := readAll(&fsys, okio.ParsePath("/cache/"+name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
	for _, p := range fsys.AllPaths() {
		if name := p.Name(); name != "journal" && name != "journal.lock" && !strings.HasPrefix(name, key) && name != "cache" && name != "" {
			t.Errorf("another file: %s", p)
		}
	}
}
