package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// trailing tells the request's trailers in its body and sends two of its own, one of them unannounced.
func trailing(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		announced := slices.Sorted(maps.Keys(r.Trailer))
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "Checksum")
		fmt.Fprintf(w, "%v %v %d", announced, r.Trailer, r.ContentLength)
		w.(http.Flusher).Flush()
		w.Header().Set("Checksum", "abc")
		w.Header().Set(http.TrailerPrefix+"Late", "1")
	}))
	t.Cleanup(s.Close)
	return s
}

// A trailer's value is set while the body is read, as net/http allows.
type settingBody struct {
	io.Reader
	trailer http.Header
}

func (b settingBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		b.trailer.Set("Digest", "sha")
	}
	return n, err
}
func (settingBody) Close() error { return nil }

func TestRoundTripTrailers(t *testing.T) {
	s := trailing(t)
	ours := closing(t).HTTPClient()
	for name, client := range map[string]*http.Client{"net/http": s.Client(), "ok": ours} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest("POST", s.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Trailer = http.Header{"Digest": nil}
			req.Body, req.ContentLength = settingBody{strings.NewReader("content"), req.Trailer}, -1
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if v, ok := resp.Trailer["Checksum"]; !ok || v != nil || len(resp.Trailer) != 1 {
				t.Errorf("before the body: trailers %v, want Checksum without a value", resp.Trailer)
			}
			if resp.Header.Get("Trailer") != "" {
				t.Error("the Trailer header is still there")
			}
			body, err := io.ReadAll(resp.Body)
			if want := "[Digest] map[Digest:[sha]] -1"; err != nil || string(body) != want {
				t.Errorf("the server saw %q, %v, want %q", body, err, want)
			}
			if got, want := fmt.Sprint(resp.Trailer), "map[Checksum:[abc] Late:[1]]"; got != want {
				t.Errorf("after the body: trailers %s, want %s", got, want)
			}
			io.ReadAll(resp.Body)
			if got := len(resp.Trailer["Checksum"]); got != 1 {
				t.Errorf("reading on gave %d values", got)
			}
		})
	}
	t.Run("copied", func(t *testing.T) {
		resp, err := ours.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
		if got := resp.Trailer.Get("Checksum"); got != "abc" {
			t.Errorf("trailer %q after io.Copy", got)
		}
	})
}

func TestBodyTrailers(t *testing.T) {
	s := trailing(t)
	client := closing(t)
	send := func(trailers func() Headers, wrap func(*Body) *Body) (string, error) {
		body, err := NewBody(BodyConfig{Len: -1, Trailers: trailers, Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("content")), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		req, err := NewRequest("PUT", s.URL, WithBody(wrap(body)), Header("Trailer", "Digest"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(t.Context(), req)
		if err != nil {
			return "", err
		}
		return resp.Body.Text()
	}
	same := func(b *Body) *Body { return b }
	progress := func(b *Body) *Body { return Progress(b, func(int64, int64) {}) }
	one, err := NewHeaders("Digest", "sha")
	if err != nil {
		t.Fatal(err)
	}
	for name, wrap := range map[string]func(*Body) *Body{"plain": same, "gzipped": Gzipped, "progress": progress} {
		got, err := send(func() Headers { return one }, wrap)
		if want := "[Digest] map[Digest:[sha]] -1"; err != nil || got != want {
			t.Errorf("%s: the server saw %q, %v, want %q", name, got, err, want)
		}
	}
	for _, bad := range []http.Header{
		{"Content-Length": {"5"}}, {"transfer-encoding": {"chunked"}}, {"Host": {"other"}}, {"Authorization": {"secret-value"}},
		{"A": {"b\r\nInjected: 1"}}, {"A\r\nB": {"c"}},
	} {
		_, err := send(func() Headers { return HeadersFrom(bad) }, same)
		var pe *ProtocolError
		if !errors.As(err, &pe) || strings.Contains(err.Error(), "secret-value") {
			t.Errorf("trailers %v: %v, want a ProtocolError without values", bad, err)
		}
	}
	if _, err := NewBody(BodyConfig{Len: 7, Trailers: func() Headers { return one }, Open: func(context.Context) (io.ReadCloser, error) { return nil, nil }}); err == nil {
		t.Error("a body with a length got trailers")
	}
}
