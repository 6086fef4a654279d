package okcache

import (
	"bufio"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okio"
)

// atFake runs a test at a site with a store on a fake file system.
func atFake(t *testing.T, emulate func(*okio.FakeFileSystem), test func(s *site, fsys *okio.FakeFileSystem)) {
	var fsys okio.FakeFileSystem
	emulate(&fsys)
	store, err := NewDiskStore("/cache", 1<<20, DiskConfig{FileSystem: &fsys})
	if err != nil {
		t.Fatal(err)
	}
	atSiteOver(t, store, Config{Logger: slog.New(slog.DiscardHandler)}, func(s *site) { test(s, &fsys) })
	if err := fsys.CheckNoOpenFiles(); err != nil {
		t.Error(err)
	}
}

func onUnix(fsys *okio.FakeFileSystem)    { fsys.EmulateUnix() }
func onWindows(fsys *okio.FakeFileSystem) { fsys.EmulateWindows() }

// While the disk is full calls do without the cache; afterwards they have it again, without anything half.
func TestDiskFull(t *testing.T) {
	atFake(t, onUnix, func(s *site, fsys *okio.FakeFileSystem) {
		body := strings.Repeat("x", 100_000)
		answer := reply("200 OK", body, "Cache-Control: max-age=60")
		s.will(answer)
		s.get("/before", "200 "+body)
		fsys.SetFault(func(op okio.FakeOp) error {
			if op.Name == "write" {
				return syscall.ENOSPC
			}
			return nil
		})
		for range 2 {
			s.will(answer)
			s.get("/a", "200 "+body)
		}
		s.get("/before", "200 "+body)
		s.wantAsked(3)
		fsys.SetFault(nil)
		s.get("/before", "200 "+body)
		s.will(answer)
		s.get("/a", "200 "+body) // an edit that is refused makes the journal be written anew
		synctest.Wait()          // in the background
		s.will(answer)
		s.get("/b", "200 "+body)
		s.wantAsked(2)
		s.get("/b", "200 "+body)
		s.wantAsked(0)
	})
}

// A response that cannot be read now is a miss, and there when it can be read again.
func TestPermissionLost(t *testing.T) {
	for name, fault := range map[string]error{"permission": fs.ErrPermission, "descriptors": syscall.EMFILE, "disk": syscall.EIO} {
		for _, ops := range []string{"openReadOnly", "read"} {
			t.Run(name+" "+ops, func(t *testing.T) {
				atFake(t, onUnix, func(s *site, fsys *okio.FakeFileSystem) {
					s.will(reply("200 OK", "kept", "Cache-Control: max-age=60"))
					s.get("/", "200 kept")
					fsys.SetFault(func(op okio.FakeOp) error {
						if op.Name == ops && strings.HasSuffix(op.Path.Name(), ".0") {
							return fault
						}
						return nil
					})
					s.will(reply("200 OK", "not to be stored", "Cache-Control: no-store"))
					s.get("/", "200 not to be stored")
					fsys.SetFault(nil)
					s.get("/", "200 kept")
					s.wantAsked(2)
				})
			})
		}
	}
}

// Where open files cannot be replaced, what a 304 says is stored when the body is closed.
func TestUpdateWhileReading(t *testing.T) {
	for name, emulate := range map[string]func(*okio.FakeFileSystem){"unix": onUnix, "windows": onWindows} {
		t.Run(name, func(t *testing.T) {
			atFake(t, emulate, func(s *site, _ *okio.FakeFileSystem) {
				s.will(reply("200 OK", "same", "ETag: \"v1\"", "Cache-Control: max-age=0"),
					"HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=60\r\nX: y\r\n\r\n")
				s.get("/", "200 same")
				s.get("/", "200 same")
				s.wantAsked(2)
				if resp := s.get("/", "200 same"); resp.Headers().Get("X") != "y" {
					t.Errorf("headers %v", resp.Headers())
				}
				s.wantAsked(0)
			})
		})
	}
}

// A directory that is deleted under our feet costs what was in it.
func TestDirectoryDeleted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	store, err := NewDiskStore(dir, 1<<20, DiskConfig{})
	if err != nil {
		t.Fatal(err)
	}
	atSiteOver(t, store, Config{}, func(s *site) {
		answer := reply("200 OK", "text", "Cache-Control: max-age=60")
		s.will(answer, answer, answer)
		s.get("/", "200 text")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		s.get("/", "200 text")
		s.get("/other", "200 text")
		s.wantAsked(3)
		s.get("/", "200 text")
		s.get("/other", "200 text")
		s.wantAsked(0)
	})
}

// While another process has the directory, calls do without the cache; when it has left they have it, with what the other stored.
func TestSecondProcess(t *testing.T) {
	if dir := os.Getenv("OKCACHE_TEST_HOLDER"); dir != "" {
		cache, err := Open(dir, 1<<20, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cache.Size(); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("holding\n")
		io.Copy(io.Discard, os.Stdin)
		if err := cache.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	holder := exec.Command(os.Args[0], "-test.run=^TestSecondProcess$")
	holder.Env = append(os.Environ(), "OKCACHE_TEST_HOLDER="+dir)
	holder.Stderr = os.Stderr
	stdin, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	told := bufio.NewScanner(stdout)
	for told.Scan() && told.Text() != "holding" {
	}
	store, err := NewDiskStore(dir, 1<<20, DiskConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if _, err := store.Size(); err == nil || !strings.Contains(err.Error(), "is in use by another cache") {
		t.Errorf("got %v", err)
	}
	atSiteOver(t, store, Config{Logger: logTo(&log)}, func(s *site) {
		answer := reply("200 OK", "text", "Cache-Control: max-age=60")
		for range 2 {
			s.will(answer)
			s.get("/", "200 text")
		}
		s.will(reply("200 OK", "posted"))
		if _, text := s.do(s.request("POST", "/")); text != "posted" {
			t.Errorf("%q", text)
		}
		s.wantAsked(3)
		stdin.Close()
		for told.Scan() {
		}
		if err := holder.Wait(); err != nil {
			t.Error(err)
		}
		s.will(answer)
		s.get("/", "200 text")
		s.get("/", "200 text")
		s.wantAsked(1)
	})
	if !strings.Contains(log.String(), "is in use by another cache") {
		t.Errorf("log %q", &log)
	}
}
