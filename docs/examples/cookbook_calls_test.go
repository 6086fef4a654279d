package examples

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
	"github.com/okhttp-go/ok/okio"
)

// try runs a recipe and reports its error.
func try(f func() error) {
	if err := f(); err != nil {
		fmt.Println("error:", err)
	}
}

func Example_cookbookAsynchronousGet() {
	client, url, ctx := okhttp.New(), server.URL+"/hello", context.Background()
	defer client.Close()
	try(func() error {
		// #region async
		req, err := okhttp.NewRequest("GET", url)
		if err != nil {
			return err
		}
		done := make(chan struct{})
		client.NewCall(req).Enqueue(ctx, func(resp *okhttp.Response, err error) {
			defer close(done)
			if err != nil {
				fmt.Println("failed:", err)
				return
			}
			text, err := resp.Body.Text() // reads and closes
			fmt.Println(text, err)
		})
		<-done
		// #endregion async
		return nil
	})
	// Output: hello, gopher <nil>
}

func Example_cookbookHeaders() {
	client, url, ctx := okhttp.New(), server.URL+"/hello", context.Background()
	defer client.Close()
	try(func() error {
		// #region headers
		req, err := okhttp.NewRequest("GET", url,
			okhttp.Header("User-Agent", "cookbook/1"),   // replaces
			okhttp.AddHeader("Accept", "text/html;q=1"), // adds
			okhttp.AddHeader("Accept", "text/plain;q=0.5"))
		if err != nil {
			return err
		}
		resp, err := client.Do(ctx, req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		fmt.Println(resp.Headers().Get("greeting")) // names compare without case
		for range resp.Headers().Values("Set-Cookie") {
			fmt.Println("a cookie")
		}
		// #endregion headers
		return nil
	})
	// Output: polite
}

func Example_cookbookPostString() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/markdown"), context.Background()
	defer client.Close()
	try(func() error {
		// #region poststring
		text := []byte("# Releases\n\n * _1.0_ May 6\n")
		resp, err := client.Post(ctx, url, okhttp.Bytes("text/markdown; charset=utf-8", text))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		// #endregion poststring
		return nil
	})
	r, _ := s.TryTakeRequest()
	fmt.Println(r.Method, r.Headers.Get("Content-Type"), len(r.Body))
	// Output: POST text/markdown; charset=utf-8 27
}

func Example_cookbookStreamingPost() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/factors"), context.Background()
	defer client.Close()
	try(func() error {
		// #region poststream
		// Write runs once for each attempt, so the call can be repeated.
		body := okhttp.Streamed("text/plain; charset=utf-8", func(ctx context.Context, w io.Writer) error {
			for i := 2; i <= 997; i++ {
				if _, err := fmt.Fprintf(w, "%d = %s\n", i, factors(i)); err != nil {
					return err
				}
			}
			return nil
		})
		resp, err := client.Post(ctx, url, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		// #endregion poststream
		return nil
	})
	r, _ := s.TryTakeRequest()
	fmt.Println(r.Headers.Get("Transfer-Encoding"), strings.Contains(string(r.Body), "\n60 = 2 × 2 × 3 × 5\n"))
	// Output: chunked true
}

func factors(n int) string {
	for i := 2; i < n; i++ {
		if n%i == 0 {
			return fmt.Sprint(i, " × ", factors(n/i))
		}
	}
	return fmt.Sprint(n)
}

func Example_cookbookPostFile() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/files"), context.Background()
	defer client.Close()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("cookbook-%d.md", os.Getpid()))
	if err := os.WriteFile(path, []byte("# README"), 0o600); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	try(func() error {
		// #region postfile
		resp, err := client.Post(ctx, url, okhttp.File(path, "text/markdown")) // opened for each attempt
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		// #endregion postfile
		return nil
	})
	r, _ := s.TryTakeRequest()
	fmt.Println(r.Headers.Get("Content-Length"), string(r.Body))
	// Output: 8 # README
}

func Example_cookbookPostForm() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/search"), context.Background()
	defer client.Close()
	try(func() error {
		// #region postform
		resp, err := client.Post(ctx, url, okhttp.Form("search", "Jurassic Park", "lang", "en"))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		// #endregion postform
		return nil
	})
	r, _ := s.TryTakeRequest()
	fmt.Println(string(r.Body))
	// Output: search=Jurassic+Park&lang=en
}

func Example_cookbookJSON() {
	s := scripted(mockserver.Reply(200).Header("Content-Type", "application/json").Text(`{"files": {"a.txt": {"content": "hi"}}}`))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/gists/1"), context.Background()
	defer client.Close()
	try(func() error {
		// #region json
		resp, err := client.Get(ctx, url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if !resp.IsSuccess() {
			return fmt.Errorf("unexpected %s", resp)
		}
		var gist struct {
			Files map[string]struct{ Content string }
		}
		if err := resp.Body.JSON(&gist); err != nil {
			return err
		}
		for name, file := range gist.Files {
			fmt.Println(name, file.Content)
		}
		// #endregion json
		return nil
	})
	// Output: a.txt hi
}

func Example_cookbookDownload() {
	s := scripted(mockserver.Reply(200).Text(strings.Repeat("x", 100_000)))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/big"), context.Background()
	defer client.Close()
	try(func() error {
		dir, err := os.MkdirTemp("", "")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path := okio.ParsePath(dir).Join("big")
		// #region download
		resp, err := client.Get(ctx, url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		file, err := okio.OS().Sink(path, 0)
		if err != nil {
			return err
		}
		out := okio.NewBufferedSink(file)
		n, err := out.WriteAllFrom(resp.Body) // whole segments move
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
		fmt.Println(n, "bytes")
		// #endregion download
		return nil
	})
	// Output: 100000 bytes
}

func Example_cookbookUploadProgress() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	client, url, ctx := okhttp.New(), s.URL("/"), context.Background()
	defer client.Close()
	try(func() error {
		// #region uploadprogress
		body := okhttp.Progress(okhttp.Bytes("", make([]byte, 1<<20)), func(done, total int64) {
			if done == total {
				fmt.Println("sent all of", total)
			}
		})
		resp, err := client.Post(ctx, url, body)
		// #endregion uploadprogress
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
	// Output: sent all of 1048576
}

// #region downloadprogress

// progressSource tells how much of a body has come.
type progressSource struct {
	okio.Source
	done, total int64
	tell        func(done, total int64)
}

func (p *progressSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n, err := p.Source.ReadBuffer(dst, most)
	if p.done += n; n > 0 {
		p.tell(p.done, p.total)
	}
	return n, err
}

func withProgress(tell func(done, total int64)) okhttp.Interceptor {
	return okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		resp, err := chain.Proceed(ctx, chain.Request())
		if err != nil {
			return nil, err
		}
		b := resp.Body
		watched := &progressSource{Source: b, total: b.Len(), tell: tell}
		return resp.With(okhttp.ResponseBodyFrom(b.ContentType(), b.Len(), watched)), nil
	})
}

// #endregion downloadprogress

func Example_cookbookDownloadProgress() {
	s := scripted(mockserver.Reply(200).Text(strings.Repeat("x", 50_000)))
	defer s.Close()
	client := okhttp.New(okhttp.WithInterceptor(withProgress(func(done, total int64) {
		if done == total {
			fmt.Println("all of", total)
		}
	})))
	defer client.Close()
	resp, err := client.Get(context.Background(), s.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	_, err = io.Copy(new(bytes.Buffer), struct{ io.Reader }{resp.Body})
	fmt.Println(err)
	// Output:
	// all of 50000
	// <nil>
}

func Example_cookbookTimeouts() {
	ctx, url := context.Background(), server.URL+"/never"
	// #region timeouts
	client := okhttp.New(
		okhttp.WithConnectTimeout(5*time.Second),
		okhttp.WithWriteTimeout(5*time.Second),
		okhttp.WithReadTimeout(5*time.Second),
		okhttp.WithCallTimeout(10*time.Second))
	defer client.Close()

	_, err := client.Get(ctx, url, okhttp.WithReadTimeout(20*time.Millisecond)) // for this call alone
	var failed *okhttp.Error
	if errors.As(err, &failed) && failed.Timeout() {
		fmt.Println("too late, in", failed.Phase)
	}
	// #endregion timeouts

	// Output: too late, in response-headers
}

func Example_cookbookCancel() {
	client, url := okhttp.New(), server.URL+"/never"
	defer client.Close()
	// #region cancel
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel) // from anywhere
	_, err := client.Get(ctx, url)
	fmt.Println(errors.Is(err, context.Canceled))
	// #endregion cancel

	// Output: true
}

func Example_cookbookPerCall() {
	s := scripted(mockserver.Reply(302).Header("Location", "/elsewhere"))
	defer s.Close()
	client, ctx, url := okhttp.New(), context.Background(), s.URL("/")
	defer client.Close()
	try(func() error {
		// #region percall
		eager := client.With(okhttp.WithReadTimeout(500 * time.Millisecond)) // shares the connections
		resp, err := eager.Get(ctx, url, okhttp.WithFollowRedirects(false))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		fmt.Println(resp.Status)
		// #endregion percall
		return nil
	})
	// Output: 302
}

func Example_cookbookAuthentication() {
	s := scripted(mockserver.Reply(401).Header("WWW-Authenticate", `Basic realm="wonderland"`), mockserver.Reply(200).Text("the secret"))
	defer s.Close()
	ctx, url := context.Background(), s.URL("/")
	try(func() error {
		// #region authentication
		client := okhttp.New(okhttp.WithAuthenticator(okauth.Basic("jesse", "password1")))
		defer client.Close()
		resp, err := client.Get(ctx, url) // asked with 401, answers, and gives up if that is refused
		if err != nil {
			return err
		}
		text, err := resp.Body.Text()
		fmt.Println(text, err, "after", resp.Prior().Status)
		// #endregion authentication
		return nil
	})
	// Output: the secret <nil> after 401
}
