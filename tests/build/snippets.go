package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// include matches a VitePress snippet line: <<< @/examples/file.go#region{go}. The region and the braces may be missing.
var include = regexp.MustCompile(`^\s*<<<\s+@/([^\s#{]+)(?:#([\w-]+))?`)

// snippets checks that every piece of code the pages of docs include is there: VitePress itself prints an error into the page and goes on.
func snippets(docs string) error {
	var errs []error
	err := filepath.WalkDir(docs, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) && name != docs {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		page, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		line := 0
		for text := range strings.Lines(string(page)) {
			line++
			if m := include.FindStringSubmatch(text); m != nil {
				if err := snippet(filepath.Join(docs, filepath.FromSlash(m[1])), m[2]); err != nil {
					errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, err))
				}
			} else if strings.HasPrefix(strings.TrimSpace(text), "<<<") {
				errs = append(errs, fmt.Errorf("%s:%d: a snippet is written <<< @/examples/FILE#REGION{go}, not %s", name, line, strings.TrimSpace(text)))
			}
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

// snippet returns an error when a file is not there, lacks the region, or has an example that does not run: the go command compiles an example without
// running it when another comment stands directly above its output.
func snippet(file, region string) error {
	code, err := os.ReadFile(file)
	if err != nil || region == "" {
		return err
	}
	open, closed, last := false, false, ""
	for text := range strings.Lines(string(code)) {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(last, "// #endregion") && strings.HasPrefix(text, "// Output:") {
			return fmt.Errorf("%s has an example that does not run: a blank line is missing between %q and its output", filepath.Base(file), last)
		}
		last = text
		switch text {
		case "// #region " + region:
			open = true
		case "// #endregion " + region:
			closed = open
		}
	}
	if !open || !closed {
		return fmt.Errorf("%s has no region %q between // #region and // #endregion", filepath.Base(file), region)
	}
	return nil
}
