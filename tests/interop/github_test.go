//go:build unix

package interop

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-github/v88/github"
)

// github is Google's client of GitHub over the transport of a site.
func (s *site) github(t *testing.T) *github.Client {
	t.Helper()
	api := s.url + "/api/"
	c, err := github.NewClient(github.WithTransport(s.transport), github.WithURLs(&api, &api), github.WithAuthToken("token"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say answers with a value as JSON and a line break, packed if the client takes that.
func say(w http.ResponseWriter, r *http.Request, code int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(value)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(code)
	z := gzip.NewWriter(w)
	defer z.Close()
	json.NewEncoder(z).Encode(value)
}

// TestGitHubPages follows the links from page to page.
func TestGitHubPages(t *testing.T) {
	const pages = 4
	forks := func(*testing.T) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /api/repos/o/r/forks", func(w http.ResponseWriter, r *http.Request) {
			page, err := strconv.Atoi(r.FormValue("page"))
			if err != nil {
				page = 1
			}
			link := func(to int, rel string) string {
				return fmt.Sprintf(`<http://%s%s?per_page=%s&page=%d>; rel="%s"`, r.Host, r.URL.Path, r.FormValue("per_page"), to, rel)
			}
			links := []string{link(pages, "last"), link(1, "first")}
			if page < pages {
				links = append(links, link(page+1, "next"))
			}
			w.Header().Set("Link", strings.Join(links, ", "))
			say(w, r, 200, []map[string]any{{"id": 10 * page}, {"id": 10*page + 1}})
		})
		return mux
	}
	dropIn(t, forks, func(t *testing.T, s *site) {
		c := s.github(t)
		var got []int64
		opts := &github.RepositoryListForksOptions{ListOptions: github.ListOptions{PerPage: 2}}
		for {
			forks, resp, err := c.Repositories.ListForks(t.Context(), "o", "r", opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, fork := range forks {
				got = append(got, fork.GetID())
			}
			if resp.NextPage == 0 {
				break
			}
			opts.Page = resp.NextPage
		}
		if want := []int64{10, 11, 20, 21, 30, 31, 40, 41}; !slices.Equal(got, want) {
			t.Errorf("%d, want %d", got, want)
		}
		if !s.log.has("Authorization: Bearer") {
			t.Error("no token was sent")
		}
	})
}

// TestGitHubCalls has the methods, their bodies and what comes of them.
func TestGitHubCalls(t *testing.T) {
	api := func(t *testing.T) http.Handler {
		mux := http.NewServeMux()
		issue := func(code int) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				var sent map[string]any
				if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
					t.Error(err)
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
				say(w, r, code, map[string]any{"number": 7, "title": sent["title"]})
			}
		}
		mux.HandleFunc("POST /api/repos/o/r/issues", issue(201))
		mux.HandleFunc("PATCH /api/repos/o/r/issues/7", issue(200))
		mux.HandleFunc("DELETE /api/repos/o/r/issues/comments/5", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
		mux.HandleFunc("PUT /api/repos/o/r/issues/7/lock", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
		mux.HandleFunc("POST /api/repos/o/r/forks", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			say(w, r, 202, map[string]any{"id": 9})
		})
		mux.HandleFunc("GET /api/repos/o/invalid", func(w http.ResponseWriter, r *http.Request) {
			say(w, r, 422, map[string]any{"message": "Validation Failed", "errors": []map[string]string{{"resource": "Issue", "field": "title", "code": "missing_field"}}})
		})
		mux.HandleFunc("GET /api/repos/o/r", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"e"`)
			if r.Header.Get("If-None-Match") == `"e"` {
				w.WriteHeader(304)
				return
			}
			say(w, r, 200, map[string]any{"id": 1})
		})
		mux.HandleFunc("GET /api/repos/o/old", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/api/repos/o/r", http.StatusMovedPermanently)
		})
		mux.HandleFunc("GET /api/repos/o/r/zipball/main", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://codeload.example.com/o/r?token=x", http.StatusFound)
		})
		mux.HandleFunc("GET /api/repos/o/r/contents/{path...}", func(w http.ResponseWriter, r *http.Request) {
			say(w, r, 200, map[string]any{"type": "file", "path": r.PathValue("path")})
		})
		mux.HandleFunc("POST /api/repos/o/r/releases/3/assets", func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil || r.ContentLength != n {
				t.Errorf("%d bytes of %d, %v", n, r.ContentLength, err)
			}
			say(w, r, 201, map[string]any{"id": 4, "size": n, "name": r.FormValue("name"), "content_type": r.Header.Get("Content-Type")})
		})
		mux.HandleFunc("GET /api/repos/o/r/releases/assets/4", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/download/4", http.StatusFound)
		})
		mux.HandleFunc("GET /download/4", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("asset", 100_000)) })
		return mux
	}
	file := filepath.Join(t.TempDir(), "a b.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("asset", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	dropIn(t, api, func(t *testing.T, s *site) {
		c, ctx := s.github(t), t.Context()
		created, resp, err := c.Issues.Create(ctx, "o", "r", &github.IssueRequest{Title: github.Ptr("<ü & \"q\">")})
		if err != nil || created.GetTitle() != "<ü & \"q\">" || resp.StatusCode != 201 {
			t.Errorf("created %v, %v", created, err)
		}
		edited, _, err := c.Issues.Edit(ctx, "o", "r", 7, &github.IssueRequest{Title: github.Ptr("other")})
		if err != nil || edited.GetTitle() != "other" {
			t.Errorf("edited %v, %v", edited, err)
		}
		if resp, err := c.Issues.DeleteComment(ctx, "o", "r", 5); err != nil || resp.StatusCode != 204 {
			t.Errorf("deleted: %v", err)
		}
		if _, err := c.Issues.Lock(ctx, "o", "r", 7, nil); err != nil { // PUT without a body
			t.Errorf("locked: %v", err)
		}
		var accepted *github.AcceptedError
		if fork, _, err := c.Repositories.CreateFork(ctx, "o", "r", nil); !errors.As(err, &accepted) || fork.GetID() != 9 {
			t.Errorf("forked %v, %v", fork, err)
		}
		var refused *github.ErrorResponse
		if _, _, err := c.Repositories.Get(ctx, "o", "invalid"); !errors.As(err, &refused) || len(refused.Errors) != 1 || refused.Errors[0].Field != "title" {
			t.Errorf("invalid: %v", err)
		}
		if _, _, err := c.Repositories.Get(ctx, "o", "absent"); !errors.As(err, &refused) || refused.Response.StatusCode != 404 {
			t.Errorf("absent: %v", err)
		}

		// A condition that does not hold, and one that does.
		for condition, want := range map[string]int{`"d"`: 200, `"e"`: 304} {
			req, err := c.NewRequest(ctx, "GET", "repos/o/r", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("If-None-Match", condition)
			var repo github.Repository
			resp, err := c.Do(req, &repo)
			if resp == nil || resp.StatusCode != want || (err == nil) != (want == 200) || resp.Header.Get("ETag") != `"e"` {
				t.Errorf("If-None-Match: %s: %v, %v", condition, resp, err)
			}
		}

		// Redirects that are followed, and one that is handed on.
		if repo, resp, err := c.Repositories.Get(ctx, "o", "old"); err != nil || repo.GetID() != 1 || resp.Request.URL.Path != "/api/repos/o/r" {
			t.Errorf("moved: %v, %v", repo, err)
		}
		link, _, err := c.Repositories.GetArchiveLink(ctx, "o", "r", github.Zipball, &github.RepositoryContentGetOptions{Ref: "main"}, 3)
		if err != nil || link.String() != "https://codeload.example.com/o/r?token=x" {
			t.Errorf("archive at %v, %v", link, err)
		}
		content, _, _, err := c.Repositories.GetContents(ctx, "o", "r", "dir ü/a+b#?.go", nil)
		if err != nil || content.GetPath() != "dir ü/a+b#?.go" {
			t.Errorf("content of %v, %v", content, err)
		}

		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		asset, _, err := c.Repositories.UploadReleaseAsset(ctx, "o", "r", 3, &github.UploadOptions{Name: "a b.txt"}, f)
		if err != nil || asset.GetSize() != 500_000 || asset.GetName() != "a b.txt" || asset.GetContentType() != "text/plain; charset=utf-8" {
			t.Errorf("uploaded %v, %v", asset, err)
		}
		down, _, err := c.Repositories.DownloadReleaseAsset(ctx, "o", "r", 4, s.client())
		if err != nil {
			t.Fatal(err)
		}
		defer down.Close()
		if text, err := io.ReadAll(down); string(text) != strings.Repeat("asset", 100_000) || err != nil {
			t.Errorf("downloaded %s, %v", abridged(string(text)), err)
		}
	})
}

// TestGitHubLimits runs into both limits of rate. What the client knows it does not ask.
func TestGitHubLimits(t *testing.T) {
	limited := func(*testing.T) http.Handler {
		var n atomic.Int32
		mux := http.NewServeMux()
		mux.HandleFunc("/api/repos/o/primary", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-RateLimit-Limit", "1")
			w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(max(0, 2-int(n.Load()))))
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10))
			if n.Add(1) == 2 {
				w.Header().Set("X-RateLimit-Remaining", "0")
				say(w, r, 403, map[string]any{"message": "API rate limit exceeded"})
				return
			}
			say(w, r, 200, map[string]any{"id": n.Load()})
		})
		mux.HandleFunc("/api/repos/o/secondary", func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1)%2 == 0 {
				w.Header().Set("Retry-After", "30")
				say(w, r, 403, map[string]any{"documentation_url": "https://docs.example.com/rest#secondary-rate-limits"})
				return
			}
			say(w, r, 200, map[string]any{"id": n.Load()})
		})
		return mux
	}
	dropInTimed(t, limited, func(t *testing.T, s *site) {
		c, ctx := s.github(t), t.Context()
		get := func(ctx context.Context, repo string) error {
			_, _, err := c.Repositories.Get(ctx, "o", repo)
			return err
		}
		if err := get(ctx, "primary"); err != nil {
			t.Fatal(err)
		}
		var primary *github.RateLimitError
		for range 3 {
			if err := get(ctx, "primary"); !errors.As(err, &primary) {
				t.Errorf("%v, want the limit", err)
			}
		}
		if n := len(s.log.all()); n != 2 {
			t.Errorf("%d requests, want those before the limit was known", n)
		}
		began := time.Now()
		if err := get(context.WithValue(ctx, github.SleepUntilPrimaryRateLimitResetWhenRateLimited, true), "primary"); err != nil || seconds(began) < 59 {
			t.Errorf("waited %d s, %v", seconds(began), err)
		}
		time.Sleep(2 * time.Minute)

		var secondary *github.AbuseRateLimitError
		for range 3 {
			if err := get(ctx, "secondary"); !errors.As(err, &secondary) || secondary.GetRetryAfter() > 30*time.Second {
				t.Errorf("%v, want the other limit", err)
			}
		}
		time.Sleep(31 * time.Second)
		if err := get(ctx, "secondary"); err != nil {
			t.Error(err)
		}
		if n := len(s.log.all()); n != 5 {
			t.Errorf("%d requests, want 5", n)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := get(gone, "secondary"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}
