package servecli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
)

// folder answers with the files below a root, which no path and no symbolic link leads out of.
type folder struct{ root *os.Root }

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{root}, nil
}

func (f *folder) Close() error { return f.root.Close() }
func (f *folder) echoes() bool { return false }

// Peek implements [mockserver.Peeker].
func (f *folder) Peek(r *mockserver.Request) mockserver.Response { return continueIfExpected(r) }

// Dispatch implements [mockserver.Dispatcher].
func (f *folder) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	if r.Method != "GET" && r.Method != "HEAD" {
		return notAllowed("GET, HEAD")
	}
	encoded, query, hasQuery := strings.Cut(pathOf(r.Target), "?")
	decoded, err := url.PathUnescape(encoded)
	if err != nil || !strings.HasPrefix(decoded, "/") || strings.ContainsAny(decoded, "\x00\\") {
		return plain(400, "Bad Request", "malformed path")
	}
	clean := path.Clean(decoded)
	name := strings.TrimPrefix(clean, "/")
	if name == "" {
		name = "."
	}
	info, err := f.root.Stat(name)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(decoded, "/") { // relative links of the index would lead astray
			location := (&url.URL{Path: clean + "/"}).EscapedPath()
			if hasQuery {
				location += "?" + query
			}
			return plain(301, "Moved Permanently", "see "+location).Header("Location", location)
		}
		name = path.Join(name, "index.html")
		info, err = f.root.Stat(name)
	} else if err == nil && strings.HasSuffix(decoded, "/") {
		err = fs.ErrNotExist
	}
	return fileResponse(f.root, name, info, err)
}

// fileResponse answers with a file of root, given what Stat said of it.
func fileResponse(root *os.Root, name string, info fs.FileInfo, err error) mockserver.Response {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return plain(403, "Forbidden", "not readable")
	case err != nil || !info.Mode().IsRegular(): // of whatever kind: what is outside of the root does not exist
		return plain(404, "Not Found", "not found")
	}
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return plain(403, "Forbidden", "not readable")
	}
	if err != nil {
		return plain(404, "Not Found", "not found")
	}
	file.Close()
	return mockserver.Reply(200).Header("Content-Type", contentType(name)).
		Stream(info.Size(), func() (io.ReadCloser, error) { return root.Open(name) })
}

// contentTypes are the same on every machine; other extensions are looked up in what the system knows.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".gif": "image/gif", ".gz": "application/gzip",
	".htm": "text/html; charset=utf-8", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon", ".jpeg": "image/jpeg",
	".jpg": "image/jpeg", ".js": "text/javascript; charset=utf-8", ".json": "application/json", ".md": "text/markdown; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".mp4": "video/mp4", ".pdf": "application/pdf", ".png": "image/png",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm", ".webp": "image/webp",
	".woff2": "font/woff2", ".xml": "text/xml; charset=utf-8", ".zip": "application/zip",
}

func contentType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if t := contentTypes[ext]; t != "" {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

// pathOf returns the path and query of a target, whatever its form (RFC 9112 section 3.2).
func pathOf(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			rest = rest[i:]
		} else {
			rest = ""
		}
		if !strings.HasPrefix(rest, "/") {
			rest = "/" + rest
		}
		return rest
	}
	return target
}

func plain(status int, reason, text string) mockserver.Response {
	return mockserver.Reply(status).Reason(reason).Header("Content-Type", "text/plain; charset=utf-8").Text(text + "\n")
}

func notAllowed(allow string) mockserver.Response {
	return plain(405, "Method Not Allowed", "expected "+allow).Header("Allow", allow)
}

func expects(r *mockserver.Request) bool {
	return strings.EqualFold(r.Headers.Get("Expect"), "100-continue")
}
