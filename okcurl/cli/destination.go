package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/okhttp-go/ok/okhttp"
)

// destination is where a response goes: standard output, or a file that is made when the first byte comes. Its first failure sticks.
type destination struct {
	std     io.Writer
	name    string // "" for standard output
	at      int64  // where the file goes on, 0 for a new one
	keep    bool   // what the file has stays, and more follows
	dirs    bool   // folders that are missing are made
	file    *os.File
	spilled bool // something is on standard output
	err     error
}

// destinationOf returns where the response of a URL goes.
func (o *options) destinationOf(out output, u okhttp.URL, std io.Writer) (*destination, error) {
	name := out.file
	if out.remote {
		// A server must not choose a place outside of this directory; on Windows some names are places too.
		if name = fileName(u); name == "" || !filepath.IsLocal(name) {
			return nil, &failure{exitWrite, "the URL has no file name for --remote-name"}
		}
	} else if name == "-" {
		name = ""
	}
	if name != "" && o.outputDir != "" {
		name = filepath.Join(o.outputDir, name)
	}
	d := &destination{std: std, name: name, dirs: o.createDirs}
	return d, d.resume(o.continueAt)
}

// resume has the file go on where it ends, for an offset of -1, or where somebody says.
func (d *destination) resume(offset *int64) error {
	switch {
	case offset == nil:
		return nil
	case *offset >= 0:
		d.at = *offset
		return nil
	case d.name == "":
		return usageError("--continue-at - needs a file to go on with: -o or -O")
	}
	if info, err := os.Stat(d.name); err == nil {
		d.at = info.Size()
	}
	return nil
}

// open makes the file.
func (d *destination) open() error {
	if d.err != nil || d.name == "" || d.file != nil {
		return d.err
	}
	if d.dirs {
		if d.err = os.MkdirAll(filepath.Dir(d.name), 0o755); d.err != nil {
			return d.err
		}
	}
	if d.keep {
		d.file, d.err = os.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		return d.err
	}
	if d.at == 0 {
		d.file, d.err = os.Create(d.name)
		return d.err
	}
	if d.file, d.err = os.OpenFile(d.name, os.O_WRONLY|os.O_CREATE, 0o666); d.err == nil {
		_, d.err = d.file.Seek(d.at, io.SeekStart)
	}
	return d.err
}

// Write implements io.Writer.
func (d *destination) Write(p []byte) (n int, err error) {
	if err := d.open(); err != nil {
		return 0, err
	}
	if d.file != nil {
		n, d.err = d.file.Write(p)
	} else {
		d.spilled = true
		n, d.err = d.std.Write(p)
	}
	return n, d.err
}

// close closes the file and returns the failure of the whole, nil if everything was written.
func (d *destination) close() *failure {
	if d.file != nil {
		if err := d.file.Close(); d.err == nil {
			d.err = err
		}
		d.file = nil
	}
	switch {
	case d.err == nil:
		return nil
	case brokenPipe(d.err):
		return &failure{code: exitWrite} // whoever read has enough
	case d.name != "":
		return &failure{exitWrite, "cannot write " + pathText(d.err)}
	}
	return &failure{exitWrite, "cannot write the output: " + rootText(d.err)}
}

// brokenPipe reports whether nobody reads the output any more.
func brokenPipe(err error) bool {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && runtime.GOOS == "windows" {
		return errno == 109 || errno == 232 // ERROR_BROKEN_PIPE, ERROR_NO_DATA
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
