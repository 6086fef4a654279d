package servecli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/okhttp-go/ok/mockserver"
)

// script answers with what a file says. It is immutable but for the turns of its routes.
type script struct {
	root   *os.Root // of the files it names
	routes []*scriptRoute
}

// scriptRoute is what the requests of a method and path get.
type scriptRoute struct {
	method string // "*" for any
	path   string // without the star
	prefix bool   // path had one
	query  bool   // path is compared with the query

	answers []*answer

	mu   sync.Mutex
	turn int // the next answer
}

// answer is one response with what can be said only when the request is there.
type answer struct {
	response  mockserver.Response
	file      string // "" for none
	fileLine  int
	echo      bool
	typed     bool // the script gives the content type
	continued bool // the script sends 100 (Continue)
}

func openScript(path string) (*script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return newScript(path, filepath.Dir(path), string(text))
}

// openPipe reads a script from a pipe to its end, which is where its writers close it. Its files are found from the current folder.
func openPipe(ctx context.Context, path string) (*script, error) {
	const most = 16 << 20
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() { // opening waits for a writer, and ends with the process if there is none
		f, err := os.Open(path)
		if err != nil {
			read <- result{nil, err}
			return
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, most+1))
		read <- result{text, err}
	}()
	select {
	case r := <-read:
		if r.err != nil {
			return nil, r.err
		}
		if len(r.text) > most {
			return nil, fmt.Errorf("%s: expected a script of at most %d bytes", path, most)
		}
		return newScript(path, ".", string(r.text))
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: the command was ended before the script was there: %w", path, context.Cause(ctx))
	}
}

// newScript is the script of a text, whose files are found from dir.
func newScript(path, dir, text string) (*script, error) {
	routes, err := parseScript(path, text)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &script{root, routes}
	if err := s.checkFiles(path); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// checkFiles finds the files that are not there before a request does.
func (s *script) checkFiles(path string) error {
	for _, r := range s.routes {
		for _, a := range r.answers {
			if a.file == "" {
				continue
			}
			info, err := s.root.Stat(a.file)
			if err == nil && !info.Mode().IsRegular() {
				err = fmt.Errorf("%s is not a regular file", a.file)
			}
			if err != nil {
				return &scriptError{path, a.fileLine, err.Error()}
			}
		}
	}
	return nil
}

func (s *script) Close() error { return s.root.Close() }

func (s *script) echoes() bool {
	return slices.ContainsFunc(s.routes, func(r *scriptRoute) bool {
		return slices.ContainsFunc(r.answers, func(a *answer) bool { return a.echo })
	})
}

// Peek implements [mockserver.Peeker]. It does not take the answer's turn.
func (s *script) Peek(r *mockserver.Request) mockserver.Response {
	if r.Method == "" {
		return mockserver.Response{} // a connection without a request yet; no effect of a script is that early
	}
	if found, _ := s.find(r); found != nil {
		a := found.next(false)
		if expects(r) && !a.continued {
			return a.response.Continue()
		}
		return a.response
	}
	return continueIfExpected(r)
}

// Dispatch implements [mockserver.Dispatcher].
func (s *script) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	found, allow := s.find(r)
	switch {
	case found == nil && len(allow) > 0:
		return notAllowed(strings.Join(allow, ", "))
	case found == nil:
		return plain(404, "Not Found", "the script has no route for "+pathOf(r.Target))
	}
	a := found.next(true)
	switch {
	case a.file != "":
		return s.withFile(a)
	case a.echo:
		resp := a.response.Body(r.Body)
		if t := r.Headers.Get("Content-Type"); t != "" && !a.typed {
			resp = resp.Header("Content-Type", t)
		}
		return resp
	}
	return a.response
}

// withFile answers with a file as it is now.
func (s *script) withFile(a *answer) mockserver.Response {
	info, err := s.root.Stat(a.file)
	if err != nil || !info.Mode().IsRegular() {
		return plain(500, "Internal Server Error", "the script's file "+a.file+" cannot be read")
	}
	resp := a.response.Stream(info.Size(), func() (io.ReadCloser, error) { return s.root.Open(a.file) })
	if !a.typed {
		resp = resp.Header("Content-Type", contentType(a.file))
	}
	return resp
}

// find returns the route of a request, or else the methods that its path has.
func (s *script) find(r *mockserver.Request) (found *scriptRoute, allow []string) {
	target := pathOf(r.Target)
	for _, t := range s.routes {
		if !t.fits(target) {
			continue
		}
		if t.method == "*" || t.method == r.Method || t.method == "GET" && r.Method == "HEAD" {
			return t, nil
		}
		if !slices.Contains(allow, t.method) {
			allow = append(allow, t.method)
		}
	}
	return nil, allow
}

func (t *scriptRoute) fits(target string) bool {
	if !t.query {
		target, _, _ = strings.Cut(target, "?")
	}
	return target == t.path || t.prefix && strings.HasPrefix(target, t.path)
}

// next returns the answer whose turn it is, and passes the turn on.
func (t *scriptRoute) next(pass bool) *answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.answers[t.turn]
	if pass && t.turn+1 < len(t.answers) {
		t.turn++
	}
	return a
}
