package servecli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// imported is a file of mappings on its way.
type imported struct {
	name  string // of the file to write, without folder
	files string // the folder of the files that its responses name
	stubs []stub.Stub
}

// importMappings turns mappings of WireMock into stub files.
func importMappings(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("import", flag.ContinueOnError)
	dir := flags.String("out", "", "")
	paths, err := parseFlags(flags, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return usagef("import: expected files or folders of mappings")
	}
	var all []imported
	var errs []error
	for _, path := range paths {
		list, err := readMappings(path)
		all, errs = append(all, list...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if *dir == "" {
		var stubs []stub.Stub
		for _, one := range all {
			stubs = append(stubs, one.stubs...)
		}
		text, err := stub.Marshal(stubs...)
		if err != nil {
			return err
		}
		_, err = out.Write(text)
		return err
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(*dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, one := range all {
		if err := one.write(root); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s: %d stubs\n", filepath.Join(*dir, one.name), len(one.stubs)); err != nil {
			return err
		}
	}
	return nil
}

// readMappings reads a file, a folder of them, or a folder of WireMock with mappings and __files within.
func readMappings(path string) (list []imported, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	names := []string{path}
	files := filepath.Join(filepath.Dir(path), "__files")
	if filepath.Base(filepath.Dir(path)) == "mappings" {
		files = filepath.Join(filepath.Dir(path), "..", "__files")
	}
	if info.IsDir() {
		mappings := path
		if within, err := os.Stat(filepath.Join(path, "mappings")); err == nil && within.IsDir() {
			mappings, files = filepath.Join(path, "mappings"), filepath.Join(path, "__files")
		}
		if names, err = filepath.Glob(filepath.Join(mappings, "*.json")); err != nil {
			return nil, err
		}
		slices.Sort(names)
	}
	var errs []error
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		stubs, err := stub.Import(name, text)
		for i := range stubs {
			for j := range stubs[i].Responses {
				if r := &stubs[i].Responses[j]; r.File != "" {
					r.File = "__files/" + r.File
				}
			}
		}
		errs = append(errs, err)
		list = append(list, imported{strings.TrimSuffix(filepath.Base(name), ".json") + ".json", files, stubs})
	}
	return list, errors.Join(errs...)
}

// write writes the stub file and copies the files that it names. None of them may be there.
func (i imported) write(root *os.Root) error {
	for _, s := range i.stubs {
		for _, r := range s.Responses {
			if r.File == "" {
				continue
			}
			if err := copyFile(root, i.files, r.File); err != nil {
				return err
			}
		}
	}
	text, err := stub.Marshal(i.stubs...)
	if err != nil {
		return err
	}
	return create(root, i.name, strings.NewReader(string(text)))
}

func copyFile(root *os.Root, from, name string) error {
	if _, err := root.Stat(filepath.FromSlash(name)); err == nil {
		return nil // that of another stub
	}
	f, err := os.OpenInRoot(from, filepath.FromSlash(strings.TrimPrefix(name, "__files/")))
	if err != nil {
		return err
	}
	defer f.Close()
	if dir := filepath.Dir(filepath.FromSlash(name)); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return create(root, filepath.FromSlash(name), f)
}

func create(root *os.Root, name string, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
