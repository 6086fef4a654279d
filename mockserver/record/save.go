package record

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// inline is how long a body may be that stands in a stub file itself.
const inline = 16 << 10

// Save writes what was recorded into a folder, which is made if need be: a stub file for each request, whose name begins with the number in that of the stub, and a file for each long body. Files of
// the same names are replaced, others left alone; what [New] was given of the same folder, and has not changed, is there already. They can be read by their owner only.
func (r *Recorder) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer root.Close()
	from := "" // where files come from that stubs name, unless they are there
	same := r.cfg.Dir != "" && sameFolder(dir, r.cfg.Dir)
	if !same {
		from = cmp.Or(r.cfg.Dir, ".")
	}
	var errs []error
	for name, s := range r.files() {
		if !same || !s.given {
			errs = append(errs, save(root, name, s.Stub, from))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// files yields copies of what was recorded by the names of their files.
func (r *Recorder) files() iter.Seq2[string, kept] {
	r.mu.Lock()
	list, last := make([]kept, len(r.stubs)), r.last
	for i, s := range r.stubs {
		list[i] = *s
		list[i].Responses = slices.Clone(s.Responses)
	}
	r.mu.Unlock()
	return func(yield func(string, kept) bool) {
		taken := map[string]bool{}
		for _, s := range list {
			if s.Recorded == nil {
				continue
			}
			number := numberOf(s.Name)
			name := fmt.Sprintf("%03d-%s", number, slug(s.Name))
			if number == 0 || taken[name] { // somebody else gave it its name
				last++
				name = fmt.Sprintf("%03d-%s", last, slug(s.Name))
			}
			if taken[name] = true; !yield(name, s) {
				return
			}
		}
	}
}

func save(root *os.Root, name string, s stub.Stub, from string) error {
	for i := range s.Responses {
		resp := &s.Responses[i]
		var body []byte
		switch {
		case resp.File != "" && from != "":
			if err := copyFile(root, from, filepath.FromSlash(resp.File)); err != nil {
				return err
			}
			continue
		case resp.Body != nil && len(*resp.Body) > inline:
			body = []byte(*resp.Body)
		case resp.Base64 != nil && len(*resp.Base64) > inline:
			body = *resp.Base64
		default:
			continue
		}
		file := fmt.Sprintf("%s-%d.body", name, i+1)
		if err := root.WriteFile(file, body, 0o600); err != nil {
			return err
		}
		resp.Body, resp.Base64, resp.File = nil, nil, filepath.ToSlash(file)
	}
	text, err := stub.Marshal(s)
	if err != nil {
		return err
	}
	return root.WriteFile(name+".json", text, 0o600)
}

// copyFile copies a file of a folder to its place below root.
func copyFile(root *os.Root, folder, name string) error {
	source, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer source.Close()
	content, err := source.ReadFile(name)
	if err != nil {
		return err
	}
	if below := filepath.Dir(name); below != "." {
		if err := root.MkdirAll(below, 0o755); err != nil {
			return err
		}
	}
	return root.WriteFile(name, content, 0o600)
}

// slug makes a file name of the name of a stub, without the number in front.
func slug(name string) string {
	if number, rest, ok := strings.Cut(name, " "); ok && strings.Trim(number, "0123456789") == "" {
		name = rest
	}
	name, _, _ = strings.Cut(name, "?")
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
