package okcookie

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// What the files of this package say about themselves.
const (
	fileFormat  = "okcookie"
	fileVersion = 1
)

// maxFile bounds what is read into memory, in bytes. A full jar with the default limits takes less.
const maxFile = 64 << 20

// savedJar is the content of a file.
type savedJar struct {
	Format  string        `json:"format"`
	Version int           `json:"version"`
	Cookies []savedCookie `json:"cookies"`
}

type savedCookie struct {
	Name     string     `json:"name"`
	Value    string     `json:"value"`
	Domain   string     `json:"domain"`
	HostOnly bool       `json:"hostOnly"`
	Path     string     `json:"path"`
	Expires  *time.Time `json:"expires,omitempty"`
	Secure   bool       `json:"secure,omitempty"`
	HTTPOnly bool       `json:"httpOnly,omitempty"`
	SameSite *string    `json:"sameSite,omitempty"`
	Created  time.Time  `json:"created"`
	Accessed time.Time  `json:"accessed"`
}

// A FileError reports a file that is not one of cookies, is damaged, or comes from a later version.
type FileError struct {
	Path   string
	Detail string // what came and what was expected
	Err    error  // the cause, if there is one: that of package encoding/json, a [*RejectError] or a [*LineError]
}

func (e *FileError) Error() string { return "okcookie: cookie file " + e.Path + ": " + e.Detail }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Save writes the cookies that have not expired to a file that only its owner can read, session cookies only under [Options].SaveSession. A
// file that is there is replaced as a whole: whoever reads it, and whatever fails, there is the old content or the new one. The
// directory must exist. Several goroutines and processes may save to one file; the last wins.
func (j *Jar) Save(path string) error {
	saved := savedJar{Format: fileFormat, Version: fileVersion, Cookies: []savedCookie{}}
	for _, e := range j.entries(j.now()) {
		if !e.IsSession() || j.opt.SaveSession {
			saved.Cookies = append(saved.Cookies, savedOf(e))
		}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(saved); err != nil {
		return fmt.Errorf("okcookie: %w", err) // a clock beyond the year 9999, which JSON has no dates for
	}
	if err := replaceFile(path, text.Bytes()); err != nil {
		return fmt.Errorf("okcookie: %w", err)
	}
	return nil
}

// replaceFile puts data in place of a file, through one beside it that is on the disk before it gets the name.
func replaceFile(path string, data []byte) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // replace the file and not the link to it
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	// The new name outlasts a crash once the directory is on the disk. Some systems cannot sync directories; there is nothing to do about it.
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// Load adds the cookies of a file that [Jar.Save] wrote, in place of the same ones in the jar. Those that have expired, or whose domain has
// become a public suffix since, are left out, and the limits of the jar hold. It takes all of the file or, if it fails, nothing: with
// [fs.ErrNotExist] if there is no such file, with a [*FileError] if that is not a sound file of cookies.
func (j *Jar) Load(path string) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	entries, err := decodeFile(path, text)
	if err != nil {
		return err
	}
	j.take(entries, j.now())
	return nil
}

// take puts the cookies of a file into the jar, as far as it would take them from elsewhere.
func (j *Jar) take(entries []Entry, now time.Time) {
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.IsExpired(now) || j.check(e.Cookie) != nil })
	if excess := len(entries) - j.opt.MaxCookies; excess > 0 { // they would only push each other out, one by one
		slices.SortStableFunc(entries, func(a, b Entry) int { return a.Accessed.Compare(b.Accessed) })
		entries = entries[excess:]
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range entries {
		j.put(e)
		j.evict(e.Domain, now)
	}
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("okcookie: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("okcookie: %w", err)
	}
	if len(text) > maxFile {
		return nil, &FileError{Path: path, Detail: "larger than the limit of " + strconv.Itoa(maxFile) + " bytes"}
	}
	return text, nil
}

// decodeFile reads and checks the content of a file.
func decodeFile(path string, text []byte) ([]Entry, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &FileError{Path: path, Detail: "expected JSON: " + err.Error(), Err: err}
	}
	if head.Format != fileFormat || head.Version != fileVersion {
		return nil, &FileError{Path: path, Detail: fmt.Sprintf("expected format %q, version %d, got %s, version %d", fileFormat, fileVersion,
			quote(head.Format), head.Version)}
	}
	var saved savedJar
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields() // what this version does not know it cannot keep
	if err := dec.Decode(&saved); err != nil {
		return nil, &FileError{Path: path, Detail: "unexpected content: " + err.Error(), Err: err}
	}
	if saved.Cookies == nil {
		return nil, &FileError{Path: path, Detail: "expected cookies, got none"}
	}
	entries := make([]Entry, len(saved.Cookies))
	for i, s := range saved.Cookies {
		e, err := s.entry()
		if err != nil {
			return nil, &FileError{Path: path, Detail: fmt.Sprintf("cookie %d: %v", i, err), Err: err}
		}
		entries[i] = e
	}
	return entries, nil
}

func savedOf(e Entry) savedCookie {
	s := savedCookie{Name: e.Name, Value: e.Value, Domain: e.Domain, HostOnly: e.HostOnly, Path: e.Path, Secure: e.Secure, HTTPOnly: e.HTTPOnly,
		Created: e.Created, Accessed: e.Accessed}
	if !e.IsSession() {
		s.Expires = &e.Expires
	}
	if e.HasSameSite {
		s.SameSite = &e.SameSite
	}
	return s
}

// entry is what was saved, checked as if it came from anywhere.
func (s savedCookie) entry() (Entry, error) {
	c := Cookie{Name: s.Name, Value: s.Value, Domain: s.Domain, HostOnly: s.HostOnly, Path: s.Path, Secure: s.Secure, HTTPOnly: s.HTTPOnly}
	if s.Expires != nil {
		if c.Expires = *s.Expires; c.IsSession() {
			c.Expires = longExpired // the zero time is a date like any other here
		}
	}
	if s.SameSite != nil {
		c.SameSite, c.HasSameSite = *s.SameSite, true
	}
	canonical, err := NewCookie(c)
	switch {
	case err != nil:
		return Entry{}, err
	case canonical.Domain != c.Domain || canonical.Path != c.Path:
		return Entry{}, reject(ReasonSyntax, c.Name, "domain or path is not in its canonical form")
	case s.Created.IsZero() || s.Accessed.IsZero():
		return Entry{}, errors.New("expected the times of creation and access, got none")
	}
	return Entry{Cookie: canonical, Created: s.Created.UTC(), Accessed: s.Accessed.UTC()}, nil
}
