package examples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// #region resume

// download fetches url into a file. What is there from an earlier try is gone on with, if it is of the same version.
func download(ctx context.Context, client *okhttp.Client, url, path, etag string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	have, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	req, err := okhttp.NewRequest("GET", url)
	if err == nil && have > 0 {
		// If-Range: the rest of that version, or else all of the present one.
		req, err = req.With(okhttp.Header("Range", fmt.Sprintf("bytes=%d-", have)), okhttp.Header("If-Range", etag))
	}
	if err != nil {
		return err
	}
	resp, err := client.Do(ctx, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.Status {
	case 206:
	case 200:
		if err := file.Truncate(0); err != nil {
			return err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unexpected answer: %s", resp)
	}
	if _, err := io.Copy(file, resp.Body); err != nil {
		return err // what came stays in the file, for the next try
	}
	return file.Close()
}

// #endregion resume

func Example_cookbookResume() {
	content := strings.Repeat("0123456789", 1000)
	broken := true // the first try
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		if !broken {
			fmt.Println("asked for the rest:", strings.HasPrefix(r.Header.Get("Range"), "bytes="))
			http.ServeContent(w, r, "numbers.txt", time.Time{}, strings.NewReader(content))
			return
		}
		broken = false
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		io.WriteString(w, content[:4000])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	ctx, client := context.Background(), okhttp.New()
	defer client.Close()
	dir, err := os.MkdirTemp("", "cookbook")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "numbers.txt")

	fmt.Println(download(ctx, client, s.URL, path, "") != nil)
	fmt.Println(download(ctx, client, s.URL, path, `"v1"`))
	got, err := os.ReadFile(path)
	fmt.Println(string(got) == content, err)
	// Output:
	// true
	// asked for the rest: true
	// <nil>
	// true <nil>
}

func Example_cookbookMaybeSent() {
	s := scripted(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseSocket{}))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/orders"), context.Background()
	defer client.Close()
	// #region maybesent
	_, err := client.Post(ctx, url, okhttp.Text("one tea"))
	if failed, ok := errors.AsType[*okhttp.Error](err); ok && failed.Sent {
		fmt.Println("ask before ordering again:", failed.Phase) // the server may have acted
	}
	// #endregion maybesent

	// Output: ask before ordering again: response-headers
}

func Example_cookbookFanOut() {
	s := scripted(mockserver.Reply(200).Text("a"), mockserver.Reply(200).Text("b"), mockserver.Reply(200).Text("c"))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/"), context.Background()
	defer client.Close()
	urls := []string{url + "1", url + "2", url + "3"}
	// #region fanout
	var group sync.WaitGroup
	texts, errs := make([]string, len(urls)), make([]error, len(urls))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, url := range urls {
		group.Go(func() {
			resp, err := client.Get(ctx, url)
			if err == nil {
				texts[i], err = resp.Body.Text()
			}
			if err != nil {
				errs[i] = err
				cancel() // one is missing: the others are not needed
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		fmt.Println(err)
		return
	}
	// #endregion fanout
	fmt.Println(len(strings.Join(texts, "")))
	// Output: 3
}

// #region breaker

// breaker stops asking a server that fails, for a while.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time
}

var errOpen = errors.New("the server failed too often a moment ago")

func (b *breaker) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	b.mu.Lock()
	open := time.Now().Before(b.until)
	b.mu.Unlock()
	if open {
		return nil, errOpen
	}
	resp, err := chain.Proceed(ctx, chain.Request())
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil && resp.Status < 500:
		b.failures = 0
	case ctx.Err() != nil: // the caller gave up, not the server
	default:
		if b.failures++; b.failures >= 3 {
			b.failures, b.until = 0, time.Now().Add(time.Minute)
		}
	}
	return resp, err
}

// #endregion breaker

func Example_cookbookBreaker() {
	s := scripted(mockserver.Reply(500), mockserver.Reply(500), mockserver.Reply(500))
	defer s.Close()
	client := okhttp.New(okhttp.WithInterceptor(&breaker{}))
	defer client.Close()
	for range 4 {
		resp, err := client.Get(context.Background(), s.URL("/"))
		if err != nil {
			fmt.Println(errors.Is(err, errOpen))
			return
		}
		fmt.Println(resp.Status)
		resp.Body.Close()
	}
	// Output:
	// 500
	// 500
	// 500
	// true
}

func Example_cookbookLines() {
	s := scripted(mockserver.Reply(200).Text("{\"n\":1}\n{\"n\":2}\n{\"n\":3}"))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/log.jsonl"), context.Background()
	defer client.Close()
	try(func() error {
		// #region lines
		resp, err := client.Get(ctx, url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		lines := resp.Body.Source()
		for {
			line, err := lines.ReadLine() // as it comes; nothing is read in advance of the network
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			fmt.Println(line)
		}
		// #endregion lines
	})
	// Output:
	// {"n":1}
	// {"n":2}
	// {"n":3}
}
