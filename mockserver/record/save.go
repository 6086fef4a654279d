package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// inline is how long a body may be that stands in a stub file itself.
const inline = 16 << 10

// Save writes what was recorded into a folder, which is made if need be: a stub file for each request, and a file for each long body. Files of the same names are
// replaced, others left alone. They can be read by their owner only.
func (r *Recorder) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer root.Close()
	var errs []error
	for i, s := range r.Stubs() {
		if s.Recorded != nil {
			errs = append(errs, save(root, fmt.Sprintf("%03d-%s", i+1, slug(s.Name)), s))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

func save(root *os.Root, name string, s stub.Stub) error {
	for i := range s.Responses {
		resp := &s.Responses[i]
		var body []byte
		switch {
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
