package stub

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// Options say how stubs become routes. nil is the zero value.
type Options struct {
	// Dir is the folder from which files of responses are found, and which they cannot leave. "" is the current one.
	Dir string
	// Latency delays responses that were recorded, and have no delay of their own, as long as the origin took.
	Latency bool
}

// Route returns the stub as package route takes it. Files of responses are opened when they are asked for.
func (s Stub) Route(o *Options) (route.Route, error) {
	if o == nil {
		o = &Options{}
	}
	return s.route(o.Dir, o)
}

func (s Stub) route(dir string, o *Options) (route.Route, error) {
	r := route.Route{
		Name: s.Name, Priority: s.Priority, Match: s.Request.Matcher(), Times: s.Times, After: time.Duration(s.After), Until: time.Duration(s.Until),
	}
	if s.at != (place{}) {
		r.Source = s.Where()
	}
	if s.Scenario != nil {
		r.Scenario, r.State, r.Next = s.Scenario.Name, s.Scenario.When, s.Scenario.Then
	}
	count := new(atomic.Int64)
	for i, one := range s.Responses {
		if o != nil && o.Latency && s.Recorded != nil && one.Delay == (Delay{}) {
			one.Delay.Fixed = s.Recorded.Latency
		}
		resp, err := one.scripted(dir, r.Match, count)
		if err == nil {
			err = resp.Err()
		}
		if err != nil {
			return r, fmt.Errorf("%s: response %d: %w", s.Where(), i, err)
		}
		r.Responses = append(r.Responses, resp)
	}
	return r, nil
}

// plain is the response without what is known only when the request is.
func (r Response) plain() mockserver.Response {
	status := r.Status
	if status == 0 {
		status = 200
	}
	resp := mockserver.Reply(status)
	if r.Reason != nil {
		resp = resp.Reason(*r.Reason)
	} else if text := http.StatusText(status); text != "" {
		resp = resp.Reason(text)
	}
	for i := 0; i+1 < len(r.Headers); i += 2 {
		resp = resp.AddHeader(r.Headers[i], r.Headers[i+1])
	}
	switch {
	case r.Body != nil:
		resp = resp.Text(*r.Body)
	case r.JSON != nil:
		if value, err := jsonvalue.Parse(r.JSON); err == nil {
			resp = r.typed(resp, "application/json").Text(jsonvalue.Text(value))
		}
	case r.Base64 != nil:
		resp = resp.Body(*r.Base64)
	case r.Raw != nil:
		resp = resp.Raw([]byte(*r.Raw))
	case r.RawBase64 != nil:
		resp = resp.Raw(*r.RawBase64)
	}
	if r.Chunked != nil {
		resp = resp.Chunked(*r.Chunked...)
	}
	if r.UntilClose {
		resp = resp.UntilClose()
	}
	for i := 0; i+1 < len(r.RawHeaders); i += 2 {
		resp = resp.AddHeaderRaw(r.RawHeaders[i], r.RawHeaders[i+1])
	}
	for i := 0; i+1 < len(r.Trailers); i += 2 {
		resp = resp.Trailer(r.Trailers[i], r.Trailers[i+1])
	}
	for _, i := range r.Informational {
		resp = resp.InformationalAfter(time.Duration(i.Delay), i.Status, i.Headers...)
	}
	resp = resp.HeadDelayOf(r.Delay.wait()).BodyDelayOf(r.BodyDelay.wait())
	if r.Throttle != nil {
		resp = resp.Throttle(r.Throttle.Bytes, time.Duration(r.Throttle.Every))
	}
	if r.Dribble != nil {
		resp = resp.Dribble(r.Dribble.Pieces, time.Duration(r.Dribble.Over))
	}
	if r.SlowHead != nil {
		resp = resp.SlowHead(r.SlowHead.Bytes, time.Duration(r.SlowHead.Every))
	}
	resp = resp.TrailersDelay(time.Duration(r.TrailersDelay)).WrongLength(r.WrongLength)
	if r.MalformedChunk {
		resp = resp.MalformedChunk()
	}
	resp = withEffects(resp, r.Effects)
	if r.SkipRequestBody {
		resp = resp.SkipRequestBody()
	}
	if r.ShutdownServer {
		resp = resp.ShutdownServer()
	}
	resp = resp.Settings(settings(r.Settings)...)
	if r.InTunnel {
		resp = resp.InTunnel()
	}
	for _, p := range r.Pushes {
		resp = resp.Push(cmp.Or(p.Method, "GET"), p.Path, p.Response.plain(), p.Headers...)
	}
	return resp
}

// typed sets a content type that the stub does not say.
func (r Response) typed(resp mockserver.Response, kind string) mockserver.Response {
	for i := 0; i < len(r.Headers); i += 2 {
		if strings.EqualFold(r.Headers[i], "Content-Type") {
			return resp
		}
	}
	return resp.Header("Content-Type", kind)
}

// scripted is the response whole: what depends on the request follows when that is there.
func (r Response) scripted(dir string, m mockserver.Matcher, count *atomic.Int64) (mockserver.Response, error) {
	templates, err := r.templates()
	if err != nil {
		return mockserver.Response{}, err
	}
	resp := r.plain()
	switch {
	case templates != nil:
		resp = resp.Adapt(func(req *mockserver.Request, resp mockserver.Response) mockserver.Response {
			return templates.fill(resp, dir, newData(req, match.Params(m, req), count.Add(1)-1))
		})
	case r.File != "":
		resp = resp.Adapt(func(_ *mockserver.Request, resp mockserver.Response) mockserver.Response {
			return r.withFile(resp, dir)
		})
	}
	return resp, nil
}

// withFile answers with a file as it is now.
func (r Response) withFile(resp mockserver.Response, dir string) mockserver.Response {
	name, err := filepath.Localize(r.File)
	var info fs.FileInfo
	if err == nil {
		info, err = statIn(dir, name)
	}
	if err != nil {
		return mockserver.Fault(fmt.Errorf("stub: file %s: %w", r.File, err))
	}
	kind := mime.TypeByExtension(path.Ext(r.File))
	if kind == "" {
		kind = "application/octet-stream"
	}
	return r.typed(resp, kind).Stream(info.Size(), func() (io.ReadCloser, error) { return os.OpenInRoot(folder(dir), name) })
}

func folder(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// statIn looks at a regular file within a folder. A pipe is not opened, which would wait for its other end.
func statIn(dir, name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(folder(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("expected a regular file")
	}
	return info, err
}

// check finds what is wrong with the file of a response before a request does.
func (r Response) check(dir string) error {
	err := r.checkFile(dir)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err // the rest says how the file was looked for
	}
	if err != nil {
		return fmt.Errorf("file %s: %w", r.File, err)
	}
	return nil
}

func (r Response) checkFile(dir string) error {
	name, err := filepath.Localize(r.File)
	if err == nil {
		_, err = statIn(dir, name)
	}
	if err != nil {
		return err
	}
	f, err := os.OpenInRoot(folder(dir), name)
	if err != nil {
		return err
	}
	defer f.Close()
	if !r.Template {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	if err == nil {
		_, err = compile(path.Base(r.File), string(text))
	}
	return err
}

// local reports whether a name with slashes stays within its folder.
func local(name string) bool {
	l, err := filepath.Localize(name)
	return err == nil && filepath.IsLocal(l) && name != "."
}

// wait is the delay as package mockserver has it.
func (d Delay) wait() mockserver.Effect {
	switch {
	case d.Median > 0:
		return mockserver.WaitLogNormal{Median: time.Duration(d.Median), Sigma: d.Sigma, Max: time.Duration(d.Max)}
	case d.To > 0:
		return mockserver.WaitBetween{Min: time.Duration(d.From), Max: time.Duration(d.To)}
	}
	return mockserver.Wait{For: time.Duration(d.Fixed)}
}
