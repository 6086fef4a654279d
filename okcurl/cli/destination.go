package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// destination is where a response goes: standard output, or a file that is made when the first byte comes. Its first failure sticks.
type destination struct {
	std     io.Writer
	name    string // "" for standard output
	at      int64  // where the file goes on, 0 for a new one
	keep    bool   // what the file has stays, and more follows
	dirs    bool   // folders that are missing are made
	taken   taken
	made    map[string]string // files of this transfer, which are not taken, by the names that were wanted
	naming  naming
	held    []byte // what was written before there was a name
	file    *os.File
	spilled bool // something is on standard output
	written bool // there was a file

	modified time.Time // that the file gets, if it is not zero
	err      error
}

// taken is what becomes of a file whose name is there already.
type taken int

const (
	replaced taken = iota
	refused        // it stays, and writing fails
	numbered       // it stays, and the new one has a number behind its name
)

// naming is for a response that can name its file.
type naming struct {
	pending bool   // what is written waits for the name
	dir     string // that the file goes to
}

// destinationOf returns where the response of a URL goes.
func (o *options) destinationOf(out output, u okhttp.URL, std io.Writer, made map[string]string) (*destination, error) {
	d := &destination{std: std, name: out.file, dirs: o.createDirs, made: made}
	if o.clobber != nil && !*o.clobber {
		d.taken = numbered
	}
	if out.remote {
		// A server must not choose a place outside of this directory; on Windows some names are places too.
		if d.name = fileName(u); !filepath.IsLocal(d.name) {
			d.name = ""
		}
		if d.name == "" && !o.remoteHeaderName {
			return nil, errNoName
		}
		d.naming = naming{o.remoteHeaderName, o.outputDir}
	} else if d.name == "-" {
		d.name = ""
	}
	if d.name != "" && o.outputDir != "" {
		d.name = filepath.Join(o.outputDir, d.name)
	}
	return d, d.resume(o.continueAt)
}

// errNoName is the failure of a response that has to be named after its URL.
var errNoName = &failure{exitWrite, "the URL has no file name for --remote-name"}

// named takes the name that the response has for its file, if it has one and may, and lets what was written go there. A name that a server chose replaces nothing.
func (d *destination) named(name string, overwrite bool) {
	if !d.naming.pending {
		return
	}
	d.naming.pending = false
	switch {
	case name != "":
		d.name = filepath.Join(d.naming.dir, name)
		if d.taken == replaced && !overwrite {
			d.taken = refused
		}
	case d.name == "":
		d.err = errNoName
	}
	if len(d.held) > 0 {
		d.Write(d.held) // a failure sticks
		d.held = nil
	}
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
	switch {
	case d.keep:
		d.file, d.err = os.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	case d.at > 0:
		if d.file, d.err = os.OpenFile(d.name, os.O_WRONLY|os.O_CREATE, 0o666); d.err == nil {
			_, d.err = d.file.Seek(d.at, io.SeekStart)
		}
	case d.taken == replaced:
		d.file, d.err = os.Create(d.name)
	default:
		d.file, d.err = d.create()
	}
	d.written = d.err == nil
	return d.err
}

// create makes a file that is not there, under the name it has or, if it may, with the first number behind it that is free. What an earlier try of this
// transfer has made is made again.
func (d *destination) create() (f *os.File, err error) {
	wanted := d.name
	if own, ok := d.made[wanted]; ok {
		d.name = own
		return os.Create(own)
	}
	if info, err := os.Stat(wanted); err == nil && d.taken == numbered && !info.Mode().IsRegular() { // a device or a pipe
		return os.OpenFile(wanted, os.O_WRONLY, 0)
	}
	const most = 100 // numbers, as curl
	for n := 0; n <= most; n++ {
		if n > 0 {
			d.name = fmt.Sprintf("%s.%d", wanted, n)
		}
		f, err = os.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // which follows no link either
		if d.taken == refused || !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		d.made[wanted] = d.name
	}
	return f, err
}

// Write implements io.Writer.
func (d *destination) Write(p []byte) (n int, err error) {
	if d.naming.pending {
		d.held = append(d.held, p...)
		return len(p), nil
	}
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
		if d.err == nil && !d.modified.IsZero() {
			d.err = os.Chtimes(d.name, d.modified, d.modified)
		}
	}
	switch {
	case d.err == nil:
		return nil
	case d.err == error(errNoName):
		return errNoName
	case brokenPipe(d.err):
		return &failure{code: exitWrite} // whoever read has enough
	case d.taken == refused && errors.Is(d.err, fs.ErrExist):
		return &failure{exitWrite, "cannot write " + pathText(d.err) + ", and the server chose the name (--clobber replaces it)"}
	case d.name != "":
		return &failure{exitWrite, "cannot write " + pathText(d.err)}
	}
	return &failure{exitWrite, "cannot write the output: " + rootText(d.err)}
}

// remove takes away a file that was written and closed. What is no file, a device or a pipe, stays.
func (d *destination) remove() {
	if !d.written {
		return
	}
	if info, err := os.Lstat(d.name); err == nil && info.Mode().IsRegular() {
		os.Remove(d.name) // the failure that it is removed for counts
	}
}

// brokenPipe reports whether nobody reads the output any more.
func brokenPipe(err error) bool {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && runtime.GOOS == "windows" {
		return errno == 109 || errno == 232 // ERROR_BROKEN_PIPE, ERROR_NO_DATA
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
