package stub

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/route"
)

// filesFolder is what a folder is called whose files are no stubs, as WireMock calls it.
const filesFolder = "__files"

// Load reads a stub file, or all files *.json of a folder and of those below it, in the order of their names, but for folders that are called __files. Files that responses name are found from the folder
// of the file, or from the folder given, which wins over Options.Dir; they have to be there.
func Load(path string, o *Options) ([]route.Route, error) {
	stubs, dir, err := Read(path)
	if err != nil {
		return nil, err
	}
	own := Options{}
	if o != nil {
		own = *o
	}
	own.Dir = dir
	return Routes(&own, stubs...)
}

// Routes returns stubs as routes, whose files have to be there.
func Routes(o *Options, stubs ...Stub) ([]route.Route, error) {
	dir := ""
	if o != nil {
		dir = o.Dir
	}
	var routes []route.Route
	var errs []error
	for _, s := range stubs {
		r, err := s.Route(o)
		for _, one := range s.Responses {
			if one.File == "" || err != nil {
				continue
			}
			if _, missing := statIn(dir, filepath.FromSlash(one.File)); missing != nil {
				err = fmt.Errorf("%s: file %s: %w", s.Where(), one.File, missing)
			}
		}
		errs = append(errs, err)
		routes = append(routes, r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return routes, nil
}

// Read returns the stubs that [Load] reads, and the folder from which their files are found.
func Read(path string) (stubs []Stub, dir string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		stubs, err = readFile(path)
		return stubs, filepath.Dir(path), err
	}
	var names []string
	err = filepath.WalkDir(path, func(name string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == filesFolder {
			return filepath.SkipDir
		}
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(name, ".json") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	slices.Sort(names)
	var errs []error
	for _, name := range names {
		some, err := readFile(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		below, err := filepath.Rel(path, filepath.Dir(name))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i := range some {
			some[i].move(filepath.ToSlash(below))
		}
		if stubs = append(stubs, some...); len(stubs) > maxStubs {
			return nil, "", fmt.Errorf("stub: %s: expected at most %d stubs", path, maxStubs)
		}
	}
	return stubs, path, errors.Join(errs...)
}

// move names the files of responses from a folder further up.
func (s *Stub) move(below string) {
	for i := range s.Responses {
		if r := &s.Responses[i]; r.File != "" && below != "." {
			r.File = below + "/" + r.File
		}
	}
}

func readFile(name string) ([]Stub, error) {
	text, err := readBounded(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// readBounded reads a file that is not larger than a stub file may be, and one byte more if it is.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
