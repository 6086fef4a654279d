package stub

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/route"
)

// filesFolder is what a folder is called whose files are no stubs, as WireMock calls it.
const filesFolder = "__files"

// Load reads a stub file, or all files *.json of a folder and of those below it, in the order of their names. Folders that are called __files, and what a dot
// begins, have none. A link is the file that it leads to, within the folder; links that lead elsewhere, or to folders, are errors. Files that responses name are found
// from the folder of the file, or from the folder given, which wins over Options.Dir; they have to be there.
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
		errs, routes = append(errs, err), append(routes, r)
		if err == nil {
			errs = append(errs, s.checkFiles(dir)...)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return routes, nil
}

// checkFiles returns what is wrong with the files of a stub's responses.
func (s Stub) checkFiles(dir string) (errs []error) {
	for _, r := range s.Responses {
		if r.File == "" {
			continue
		}
		err := r.check(dir)
		switch {
		case err == nil:
		case r.fileAt == (place{}):
			errs = append(errs, fmt.Errorf("%s: %w", s.Where(), err))
		default:
			errs = append(errs, r.fileAt.fault(err))
		}
	}
	return errs
}

// Read returns the stubs that [Load] reads, and the folder from which their files are found.
func Read(path string) (stubs []Stub, dir string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return nil, "", err
		}
		stubs, err = readFile(path, f)
		return stubs, filepath.Dir(path), err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	names, err := filesOf(root)
	if err != nil {
		return nil, "", fmt.Errorf("stub: %s: %w", path, err)
	}
	var errs []error
	for _, name := range names {
		f, err := root.Open(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("stub: %s: %w", filepath.Join(path, name), err))
			continue
		}
		some, err := readFile(filepath.Join(path, name), f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i := range some {
			some[i].move(filepath.ToSlash(filepath.Dir(name)))
		}
		if stubs = append(stubs, some...); len(stubs) > MaxStubs {
			return nil, "", fmt.Errorf("stub: %s: expected at most %d stubs", path, MaxStubs)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, "", err
	}
	return stubs, path, nil
}

// filesOf returns the names of the stub files of a folder, in their order. Links are what they lead to, if that is a file within the folder.
func filesOf(root *os.Root) (names []string, err error) {
	var errs []error
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."), entry.IsDir() && entry.Name() == filesFolder:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		link := entry.Type()&fs.ModeSymlink != 0
		if !link && !strings.HasSuffix(name, ".json") {
			return nil
		}
		name = filepath.FromSlash(name)
		info, err := root.Stat(name)
		switch {
		case link && err == nil && info.IsDir() && entry.Name() != filesFolder:
			errs = append(errs, fmt.Errorf("%s: a link to a folder, which is not followed", name))
		case !strings.HasSuffix(name, ".json") || err == nil && info.IsDir():
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: a link has to lead to a file within the folder: %w", name, err))
		case !info.Mode().IsRegular():
			errs = append(errs, fmt.Errorf("%s: expected a regular file but it is none (%v)", name, info.Mode().Type()))
		default:
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, errors.Join(append(errs, err)...)
}

// move names the files of responses from a folder further up.
func (s *Stub) move(below string) {
	for i := range s.Responses {
		if r := &s.Responses[i]; r.File != "" && below != "." {
			r.File = below + "/" + r.File
		}
	}
}

// readFile reads a stub file and closes it. Of one that is longer than may be, no more than shows that is read.
func readFile(name string, f *os.File) ([]Stub, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return Parse(name, text)
}
