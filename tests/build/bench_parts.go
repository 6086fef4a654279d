package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/okhttp-go/ok/tests/build/figures"
)

// A part is what one run has measured. Its tables and rows are beside it, in files of the same name.
type part struct {
	Print string    // of what measured it
	Argv  []string  // without folders
	Date  time.Time // when it began
	Load  string    // of the machine, before
	Took  time.Duration
	dir   string
	name  string
}

func (p part) file(ext string) string { return filepath.Join(p.dir, p.name+ext) }

// fingerprint is of everything that figures must have in common to stand in one table.
func fingerprint(machine, settings string, programs ...string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q", machine, settings)
	for _, name := range programs {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// have looks for what a run has measured, by these programs with these arguments on this machine.
func (b *benchmarks) have(r benchRun, folders ...string) (part, bool) {
	argv, _ := b.argv(r)
	for _, dir := range folders {
		p := part{dir: dir, name: r.name}
		data, err := os.ReadFile(p.file(".json"))
		if err == nil && json.Unmarshal(data, &p) == nil && p.Print == b.print && strings.Join(p.Argv, " ") == strings.Join(plain(argv), " ") {
			return p, true
		}
	}
	return part{}, false
}

// plain is a command without the folders of its programs.
func plain(argv []string) (out []string) {
	for _, a := range argv {
		out = append(out, strings.TrimSuffix(filepath.Base(a), ".exe"))
	}
	return out
}

// one makes a run. Its part counts only when the last of its files is there, so that one that was interrupted does not.
func (b *benchmarks) one(ctx context.Context, r benchRun, dir string) error {
	argv, _ := b.argv(r)
	p := part{Print: b.print, Argv: plain(argv), Date: time.Now().UTC(), Load: machine(true), dir: dir, name: r.name}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, ext := range []string{".json", ".jsonl", ".md"} {
		if err := os.RemoveAll(p.file(ext)); err != nil {
			return err
		}
	}
	tables, err := os.Create(p.file(".md"))
	if err != nil {
		return err
	}
	c := b.ready(r)
	c.out = io.MultiWriter(os.Stdout, tables) // watched as it grows, and kept
	err = c.run(ctx, argv[0], append(argv[1:], "-json", p.file(".jsonl"))...)
	if closing := tables.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	p.Took = time.Since(p.Date).Round(time.Second)
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(p.file(".json"), data, 0o644)
}

// rows reads what the parts have measured.
func rows(parts []part) (all []figures.Row, err error) {
	for _, p := range parts {
		f, err := os.Open(p.file(".jsonl"))
		if err != nil {
			return nil, err
		}
		some, err := figures.Read(f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
