package okcookie

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func full(t *testing.T, opt Options) *bench {
	b := newBench(t, opt)
	b.set("https://www.example.com/x/y", `all="<&> \"; Domain=example.com; Path=/x; Max-Age=1000; Secure; HttpOnly; SameSite=Lax`, "")
	b.set("http://www.example.com/x;y/z", "host=; Max-Age=99999999999; SameSite=", "")
	b.set("http://www.example.com/", "session=1", "")
	b.set("http://[2001:db8::1]/", "six=1; Max-Age=1000", "")
	b.set("http://example.com./", "dot=1; Max-Age=1000; Path=/\u00e9", "")
	b.set("http://a..b/", "odd=1; Max-Age=1000", "")
	b.set("http://www.example.com/", "short=1; Max-Age=60", "")
	return b
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.json")
	from := full(t, Options{SaveSession: true})
	want := slices.Collect(from.All())
	if len(want) != 7 {
		t.Fatal(len(want))
	}
	if err := from.Save(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Error(info.Mode(), err)
	}
	to := newBench(t, Options{})
	to.set("http://www.example.com/", "session=old", "")
	to.set("http://www.example.com/", "kept=1", "")
	to.now = from.now
	if err := to.Load(path); err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(slices.Collect(to.All()), func(e Entry) bool { return e.Name == "kept" })
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	to.want("http://www.example.com/", "kept=1; session=1; short=1")

	// Session cookies end with the jar, unless it is told to keep them; what has expired does not come back.
	if err := to.Save(path); err != nil {
		t.Fatal(err)
	}
	later := newBench(t, Options{})
	later.now = from.now.Add(5 * time.Minute)
	if err := later.Load(path); err != nil || later.names() != "all host six dot odd" {
		t.Error(later.names(), err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

func TestLoadDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cookies.json")
	b := full(t, Options{SaveSession: true})
	if err := b.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, damaged []byte) {
		t.Helper()
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		j := newBench(t, Options{})
		j.set("http://example.com/", "kept=1", "")
		err := j.Load(path)
		var damage *FileError
		if !errors.As(err, &damage) || damage.Path != path || damage.Detail == "" || j.names() != "kept" {
			t.Errorf("%s: %v, jar has %s", what, err, j.names())
		}
	}
	for n := range len(bytes.TrimSpace(text)) { // cut short anywhere
		if n%29 == 0 || n > len(text)-20 {
			try("cut", text[:n])
		}
	}
	try("two documents", append(slices.Clone(text), text...))
	for old, changed := range map[string]string{
		`"version": 1`:                "\"version\": 2",
		`"format": "okcookie"`:        `"format": "other"`,
		`"cookies": [`:                `"cookies": null, "x": [`,
		`"name": "short"`:             `"name": ""`,
		`"name": "session"`:           `"name": "a;b"`,
		`"domain": "www.example.com"`: `"domain": "a b"`,
		`"domain": "example.com"`:     `"domain": "EXAMPLE.com"`,
		`"path": "/x"`:                `"path": "x"`,
		`"created"`:                   `"unknown"`,
		`"value": "1"`:                `"value": "\u0000"`,
		`"accessed": "2026`:           `"accessed": "26`,
		`"hostOnly": true`:            `"hostOnly": 1`,
	} {
		if !bytes.Contains(text, []byte(old)) {
			t.Fatalf("no %s in %s", old, text)
		}
		try(changed, bytes.Replace(text, []byte(old), []byte(changed), 1))
	}
	try("empty", nil)
	try("not ours", []byte("# Netscape HTTP Cookie File\n"))
	try("array", []byte("[]"))

	if err := b.Load(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := b.Load(dir); err == nil {
		t.Error("a directory is no file")
	}
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	var large *FileError
	if err := b.Load(path); !errors.As(err, &large) || !strings.Contains(large.Detail, "limit") {
		t.Error(err)
	}
}

// Cookies that no server could set do not come in by a file.
func TestLoadKeepsTheRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.json")
	cookie := `{"name":"%","value":"1","domain":"#","path":"/","created":"2026-01-01T00:00:00Z","accessed":"2026-01-01T00:00:00Z"},`
	var list strings.Builder
	for name, domain := range map[string]string{"suffix": "co.uk", "__Host-a": "example.com", "__Secure-a": "example.com", "good": "example.com"} {
		list.WriteString(strings.NewReplacer("%", name, "#", domain).Replace(cookie))
	}
	text := `{"format":"okcookie","version":1,"cookies":[` + strings.TrimSuffix(list.String(), ",") + `]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, Options{})
	if err := b.Load(path); err != nil || b.names() != "good" {
		t.Error(b.names(), err)
	}
}

func TestLoadWithinLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.json")
	from := newBench(t, Options{SaveSession: true})
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		from.set("http://example.com/"+name, name+"=1; Path=/"+name, "")
	}
	from.want("http://example.com/a", "a=1") // used last
	if err := from.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{MaxCookies: 2}, {MaxPerDomain: 2}} {
		to := newBench(t, opt)
		if err := to.Load(path); err != nil || to.names() != "a e" {
			t.Error(to.names(), err)
		}
	}
}

func TestSaveReplacesAsAWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cookies.json")
	small, large := newBench(t, Options{}), newBench(t, Options{})
	small.set("http://example.com/", "a=1; Max-Age=1000", "")
	for i := range 100 {
		large.set("http://example.com/", "b"+strings.Repeat("x", i)+"=1; Max-Age=1000", "")
	}
	if err := small.Save(path); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, b := range []*bench{small, large} {
		writers.Go(func() {
			for range 15 {
				if err := b.Save(path); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		j := New(&Options{Now: func() time.Time { return noon }})
		if err := j.Load(path); err != nil || j.Len() != 1 && j.Len() != 100 {
			t.Fatal(j.Len(), err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Error(files, err)
	}

	// What cannot be replaced stays, and nothing is left beside it.
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "file"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := small.Save(taken); err == nil {
		t.Error("a directory was replaced")
	}
	if err := small.Save(filepath.Join(dir, "absent", "cookies")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Error(files, err)
	}
}

func TestSaveThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	b := full(t, Options{})
	if err := b.Save(link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(target)
	if err != nil || info.Mode() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error(info.Mode(), err)
	}
}
