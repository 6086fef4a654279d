//go:build unix

package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// TestS3Streams puts what has no known checksum beforehand: the SDK wraps it into chunks of its own with the checksum behind them, which it does
// under TLS only. The server here unwraps it for the store.
func TestS3Streams(t *testing.T) {
	unwrapping := func(t *testing.T) http.Handler {
		next := store(t)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Content-Encoding") == "aws-chunked" {
				content, err := unwrap(r.Body)
				if err != nil || r.Header.Get("X-Amz-Decoded-Content-Length") != strconv.Itoa(len(content)) {
					t.Errorf("%d bytes, %v", len(content), err)
				}
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
				r.Header.Del("Content-Encoding")
				r.Header.Set("Content-Length", strconv.Itoa(len(content)))
			}
			next.ServeHTTP(w, r)
		})
	}
	dropInTLS(t, unwrapping, func(t *testing.T, s *site) {
		c := s.s3Client()
		for key, text := range map[string]string{"short": "text", "long": strings.Repeat("0123456789", 300_000)} {
			in := &s3.PutObjectInput{
				Bucket: aws.String(bucket), Key: &key, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
				Body: io.MultiReader(strings.NewReader(text)), ContentLength: aws.Int64(int64(len(text))),
			}
			if _, err := c.PutObject(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			wantObject(t, c, key, text)
		}
		if !s.log.has("X-Amz-Trailer: x-amz-checksum-crc32") {
			t.Error("no body had a checksum behind it")
		}
	})
}

// unwrap reads chunks of the form "size CRLF content CRLF" up to one of size 0 and a trailer, whose checksum it compares.
func unwrap(body io.Reader) (content []byte, err error) {
	in := bufio.NewReader(body)
	line := func() string {
		text, lineErr := in.ReadString('\n')
		err = errors.Join(err, lineErr)
		return strings.TrimSuffix(text, "\r\n")
	}
	for err == nil {
		size, sizeErr := strconv.ParseInt(line(), 16, 32)
		if sizeErr != nil || size == 0 {
			err = errors.Join(err, sizeErr)
			break
		}
		chunk := make([]byte, size)
		if _, err = io.ReadFull(in, chunk); err == nil {
			content = append(content, chunk...)
			line()
		}
	}
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(content))
	want := "x-amz-checksum-crc32:" + base64.StdEncoding.EncodeToString(sum)
	if got := line(); err == nil && got != want {
		err = fmt.Errorf("trailer %q, want %q", got, want)
	}
	if rest := line(); rest != "" {
		err = errors.Join(err, fmt.Errorf("more after the trailer: %q", rest))
	}
	if _, end := in.ReadByte(); end != io.EOF {
		err = errors.Join(err, end)
	}
	return content, err
}

// TestS3Checksums has bodies that arrive otherwise than they left, and not whole.
func TestS3Checksums(t *testing.T) {
	spoiling := func(t *testing.T) http.Handler {
		next := store(t)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/changed"):
				w = altered{w, func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("t"), []byte("d")) }}
			case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/cut"):
				defer panic(http.ErrAbortHandler)
				w = altered{w, func(p []byte) []byte { return p[:len(p)/2] }}
			}
			next.ServeHTTP(w, r)
			if f, ok := w.(altered); ok {
				http.NewResponseController(f.ResponseWriter).Flush()
			}
		})
	}
	dropIn(t, spoiling, func(t *testing.T, s *site) {
		c, ctx := s.s3Client(), t.Context()
		for _, algorithm := range []types.ChecksumAlgorithm{types.ChecksumAlgorithmCrc32c, types.ChecksumAlgorithmSha1, types.ChecksumAlgorithmSha256} {
			key := string(algorithm)
			in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: &key, Body: strings.NewReader("text"), ChecksumAlgorithm: algorithm}
			if _, err := c.PutObject(ctx, in); err != nil {
				t.Fatal(err)
			}
			wantObject(t, c, key, "text")
			if !s.log.has("X-Amz-Sdk-Checksum-Algorithm: " + key) {
				t.Errorf("no %s was sent", key)
			}
		}
		read := func(key string) error {
			put(t, c, key, "text text text")
			out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: &key})
			if err != nil {
				t.Fatal(err)
			}
			defer out.Body.Close()
			_, err = io.ReadAll(out.Body)
			return err
		}
		if err := read("changed"); err == nil || !strings.Contains(err.Error(), "checksum did not match") {
			t.Errorf("a changed body: %v", err)
		}
		if err := read("cut"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a body cut short: %v", err)
		}
	})
}

// altered writes something else than it is given.
type altered struct {
	http.ResponseWriter
	change func([]byte) []byte
}

func (a altered) Write(p []byte) (int, error) {
	_, err := a.ResponseWriter.Write(a.change(p))
	return len(p), err
}

// TestS3Refused lets the server refuse a body that it was asked about, which is what the caller learns. The SDK leaves the version out of its
// requests, and then net/http does not wait for an answer: it may fail to send the body before it sees the refusal.
func TestS3Refused(t *testing.T) {
	refusing := func(t *testing.T) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Expect") != "100-continue" {
				t.Error("the server was not asked")
			}
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
		})
	}
	dropInTimed(t, refusing, func(t *testing.T, s *site) {
		s.log.stop()
		body := bytes.NewReader(make([]byte, 3<<20))
		_, err := s.s3Client().PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("a"), Body: body})
		var refused smithy.APIError
		if s.name == "okhttp" && (!errors.As(err, &refused) || refused.ErrorCode() != "AccessDenied") {
			t.Error(err)
		}
	})
}

// TestS3NeverAsked has a server that has never heard of 100 (Continue): the body is sent after a second without it, and by net/http at once, as
// above.
func TestS3NeverAsked(t *testing.T) {
	deaf := func(t *testing.T) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, in, err := http.NewResponseController(w).Hijack() // past the server of net/http, which knows
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			if n, err := io.CopyN(io.Discard, in, r.ContentLength); err != nil {
				t.Errorf("%d bytes came, %v", n, err)
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		})
	}
	dropInTimed(t, deaf, func(t *testing.T, s *site) {
		began := time.Now()
		put(t, s.s3Client(), "key", strings.Repeat("0123456789", 300_000))
		want := map[string]int{"net/http": 0, "okhttp": 1}[s.name]
		if waited := seconds(began); waited != want || !s.log.has("Expect: 100-continue") {
			t.Errorf("after %d s, want %d", waited, want)
		}
	})
}

// TestS3Retries has a server that fails twice before each success: the SDK waits and sends the body anew.
func TestS3Retries(t *testing.T) {
	for _, c := range []struct {
		name string
		fail http.HandlerFunc
	}{
		{"503", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, "<Error><Code>SlowDown</Code></Error>")
		}},
		{"503 before the body", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }},
		{"no response", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			failing := func(t *testing.T) http.Handler {
				next := store(t)
				var n atomic.Int32
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n.Add(1)%3 != 0 {
						c.fail(w, r)
						return
					}
					next.ServeHTTP(w, r)
				})
			}
			dropInTimed(t, failing, func(t *testing.T, s *site) {
				client := s.s3Client()
				began := time.Now()
				put(t, client, "key", strings.Repeat("text", 10_000))
				if time.Since(began) == 0 {
					t.Error("there was no wait")
				}
				wantObject(t, client, "key", strings.Repeat("text", 10_000))
				if !s.log.has("Amz-Sdk-Request: attempt=3; max=3") {
					t.Error("there was no third attempt")
				}
			})
		})
	}
}

// TestS3Cancelled ends a context before a call, while it waits, sends and receives.
func TestS3Cancelled(t *testing.T) {
	slow := func(t *testing.T) http.Handler {
		next := store(t)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/silent"):
				io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			case strings.HasSuffix(r.URL.Path, "/half"):
				w.Header().Set("Content-Length", "8")
				io.WriteString(w, "half")
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
	dropInTimed(t, slow, func(t *testing.T, s *site) {
		s.log.stop()
		c, bucket := s.s3Client(), aws.String(bucket)
		get := func(ctx context.Context, key string) error {
			out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: &key})
			if err != nil {
				return err
			}
			defer out.Body.Close()
			_, err = io.ReadAll(out.Body)
			return err
		}
		send := func(ctx context.Context, body io.Reader) error {
			_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("silent"), Body: body})
			return err
		}
		for name, call := range map[string]func(ctx context.Context) error{
			"waiting":   func(ctx context.Context) error { return get(ctx, "silent") },
			"receiving": func(ctx context.Context) error { return get(ctx, "half") },
			"sent":      func(ctx context.Context) error { return send(ctx, strings.NewReader("text")) },
		} {
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if err := call(gone); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled before: %v", name, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			began := time.Now()
			if err := call(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled: %v", name, err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
			if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, timed out: %v", name, err)
			}
			cancel()
			if after := time.Since(began); after != 2*time.Second {
				t.Errorf("%s: after %v, want 2 s", name, after)
			}
		}
		put(t, c, "key", "text") // and all is as before
		wantObject(t, c, "key", "text")
	})
}
