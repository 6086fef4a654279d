package okio

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"testing"
)

// fsLock is a part of testFileSystem: locks exclude each other until they are closed, whoever holds them.
func fsLock(tc *fsTest) {
	lock, err := LockFile(tc.f, tc.path("lock"))
	tc.ok(err)
	tc.wantExists("lock", true)
	_, err = LockFile(tc.f, tc.path("lock"))
	tc.wantIs(err, ErrLocked)
	other, err := LockFile(tc.f, tc.path("other"))
	tc.ok(err)
	tc.ok(other.Close())
	tc.ok(lock.Close())
	lock, err = LockFile(tc.f, tc.path("lock"))
	tc.ok(err)
	tc.ok(lock.Close())

	tc.mkdir("dir")
	_, err = LockFile(tc.f, tc.path("dir"))
	tc.wantOther(err)
	_, err = LockFile(tc.f, tc.path("absent/lock"))
	tc.wantIs(err, fs.ErrNotExist)

	tc.write("text", "text")
	lock, err = LockFile(tc.f, tc.path("text"))
	tc.ok(err)
	tc.ok(lock.Close())
	tc.want("text", "text")
}

// fsSyncDirectory is a part of testFileSystem.
func fsSyncDirectory(tc *fsTest) {
	tc.write("file", "text")
	err := SyncDirectory(tc.f, tc.base)
	if errors.Is(err, errors.ErrUnsupported) {
		tc.Skip(err)
	}
	tc.ok(err)
	tc.wantOther(SyncDirectory(tc.f, tc.path("file")))
	tc.wantIs(SyncDirectory(tc.f, tc.path("absent")), fs.ErrNotExist)
}

func TestLockUnsupported(t *testing.T) {
	f := struct{ FileSystem }{&FakeFileSystem{}} // which has the methods of the interface only
	for _, f := range []FileSystem{f, ForwardingFileSystem{FileSystem: f}} {
		if _, err := LockFile(f, ParsePath("/lock")); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("LockFile: got %v", err)
		}
		if err := SyncDirectory(f, ParsePath("/")); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("SyncDirectory: got %v", err)
		}
	}
}

// A lock belongs to the file, not to its name.
func TestLockOfDeletedFile(t *testing.T) {
	for name, f := range map[string]FileSystem{"fake": unixFake(), "os": OS()} {
		t.Run(name, func(t *testing.T) {
			p := ParsePath("/lock")
			if f == OS() {
				p = ParsePath(t.TempDir()).Join("lock")
			}
			first, err := LockFile(f, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Delete(p, MustExist); err != nil {
				_ = first.Close()
				t.Skip("open files cannot be deleted here: ", err)
			}
			second, err := LockFile(f, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Close(); err != nil {
				t.Error(err)
			}
			if _, err := LockFile(f, p); !errors.Is(err, ErrLocked) {
				t.Errorf("got %v, want the second lock to hold", err)
			}
			if err := second.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A lock excludes other processes and ends with its own, however that ends.
func TestLockAcrossProcesses(t *testing.T) {
	const variable = "OKIO_TEST_LOCK"
	if name := os.Getenv(variable); name != "" {
		if _, err := LockFile(OS(), ParsePath(name)); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("locked\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent is tired of it
		return
	}
	p := ParsePath(t.TempDir()).Join("lock")
	lock, err := LockFile(OS(), p)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestLockAcrossProcesses$")
	child.Env = append(os.Environ(), variable+"="+p.String())
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	if _, err := LockFile(OS(), p); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want %v", err, ErrLocked)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	lock, err = LockFile(OS(), p)
	if err != nil {
		t.Fatal(err)
	}
	_ = lock.Close()
}

// Even where nothing else makes directories durable, syncing one does.
func TestSyncDirectoryBeforeCrash(t *testing.T) {
	f := unixFake()
	f.Directories = DirectoriesDeferred
	makeDirectory(t, f, "/d")
	putFile(t, f, "/d/a", "a")
	syncFile(t, f, "/d/a")
	putFile(t, f, "/later", "later")
	if err := SyncDirectory(f, ParsePath("/d")); err != nil {
		t.Fatal(err)
	}
	if got, want := describe(t, f.AfterCrash(CrashOptions{})), "/d/ /d/a=a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLockDoesNotOutlastCrash(t *testing.T) {
	f := unixFake()
	if _, err := LockFile(f, ParsePath("/lock")); err != nil {
		t.Fatal(err)
	}
	lock, err := LockFile(f.Crash(CrashOptions{}), ParsePath("/lock"))
	if err != nil {
		t.Fatal(err)
	}
	_ = lock.Close()
}

func TestFaultyLock(t *testing.T) {
	f := unixFake()
	f.SetFault(func(op FakeOp) error {
		if op.Name == "lockFile" || op.Name == "syncDirectory" {
			return errTestFault
		}
		return nil
	})
	if _, err := LockFile(f, ParsePath("/lock")); !errors.Is(err, errTestFault) {
		t.Errorf("got %v", err)
	}
	if err := SyncDirectory(f, ParsePath("/")); !errors.Is(err, errTestFault) {
		t.Errorf("got %v", err)
	}
}
