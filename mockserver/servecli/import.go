package servecli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
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

// importMappings turns mappings of WireMock into stub files, which are asked as WireMock asks the mappings of the paths when it loads them one after another.
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
	files, count := make([][]stub.Stub, len(all)), 0
	for i, one := range all {
		files[i] = one.stubs
		count += len(one.stubs)
	}
	if count > stub.MaxStubs { // which no server would load
		return fmt.Errorf("import: expected at most %d mappings in all files together but there are %d", stub.MaxStubs, count)
	}
	stub.Rank(files...)
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
	if err := writeFiles(*dir, all); err != nil {
		return err
	}
	for _, one := range all {
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
	names, base := []string{path}, filepath.Dir(path)
	if info.IsDir() {
		base = path
		if within, err := os.Stat(filepath.Join(path, "mappings")); err == nil && within.IsDir() {
			base = filepath.Join(path, "mappings")
		}
		if names, err = mappingsBelow(base); err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: expected files *.json but there are none", base)
		}
	}
	var errs []error
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		to, err := filepath.Rel(base, name)
		if err != nil {
			return nil, err
		}
		stubs, err := stub.Import(name, text)
		for i := range stubs {
			for j := range stubs[i].Responses {
				if r := &stubs[i].Responses[j]; r.File != "" {
					r.File = files + "/" + r.File
				}
			}
		}
		one := imported{strings.TrimSuffix(to, ".json") + ".json", filesOf(name), stubs}
		if err == nil { // files that are not there are found before anything is written
			_, err = stub.Routes(&stub.Options{Dir: filepath.Dir(one.files)}, stubs...)
		}
		errs, list = append(errs, err), append(list, one)
	}
	return list, errors.Join(errs...)
}

// files is what the folder of the files that responses name is called.
const files = "__files"

// mappingsBelow returns the files *.json of a folder and of those below it, as WireMock reads them. Folders of files, and those that a dot begins, have none.
func mappingsBelow(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error { // dir may be a link
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (entry.Name() == files || strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".json":
			return nil
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(name) // of what a link leads to
		if err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// filesOf returns the folder of the files that a mapping names: that beside the folder of mappings it stands in, or else the one beside itself.
func filesOf(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		abs = name
	}
	for dir := filepath.Dir(abs); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "mappings" {
			return filepath.Join(filepath.Dir(dir), files)
		}
	}
	own := filepath.Join(filepath.Dir(abs), files)
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return filepath.Join(filepath.Dir(filepath.Dir(abs)), files)
}
