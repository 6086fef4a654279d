package build

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// heaviest is how many bytes a page may be with all it loads by itself, as a server sends it: text in gzip, fonts and pictures as they are. The index of the
// search, which is loaded when somebody searches, is apart.
const heaviest = 500_000

// asset matches what a page of the site loads: scripts, styles, fonts and pictures.
var asset = regexp.MustCompile(`<(?:script|link|img)\b[^>]*?\b(?:src|href)="(/[^"#?]+)"`)

// weigh returns an error that names the pages of a built site that are too heavy, and the weight of the heaviest otherwise.
func weigh(dist string) (page string, most int, err error) {
	sizes := map[string]int{}
	var errs []error
	err = filepath.WalkDir(dist, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".html" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		total, seen := sent(name, text), map[string]bool{}
		for _, m := range asset.FindAllStringSubmatch(string(text), -1) {
			file := filepath.Join(dist, filepath.FromSlash(m[1]))
			if seen[file] || filepath.Ext(file) == "" {
				continue
			}
			seen[file] = true
			if _, ok := sizes[file]; !ok {
				content, err := os.ReadFile(file)
				if err != nil {
					return fmt.Errorf("build: %s loads what is not there: %w", name, err)
				}
				sizes[file] = sent(file, content)
			}
			total += sizes[file]
		}
		if total > most {
			page, most = strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, dist)), "/"), total
		}
		if total > heaviest {
			errs = append(errs, fmt.Errorf("build: %s weighs %d bytes with what it loads: no page may weigh more than %d", name, total, heaviest))
		}
		return nil
	})
	return page, most, errors.Join(append(errs, err)...)
}

// sent is how many bytes go over the wire for a file.
func sent(name string, content []byte) int {
	if ext := filepath.Ext(name); ext == ".woff2" || ext == ".png" {
		return len(content)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(content)
	w.Close()
	return packed.Len()
}
