package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// benchDir is the one module outside go.work: its peers must not raise the product's dependencies.
const benchDir = "tests/bench"

// A Module is one member of the workspace.
type Module struct {
	Dir  string // relative to the root, with slashes: "okhttp-cache"
	Path string // import path: "github.com/okhttp-go/ok/okhttp-cache"
	File *modfile.File
}

// Product reports whether users import the module: everything but the rooms tests and docs.
func (m Module) Product() bool {
	room, _, _ := strings.Cut(m.Dir, "/")
	return room != "tests" && room != "docs"
}

// pattern matches all packages of the module, for a go command that runs at the root.
func (m Module) pattern() string { return "./" + m.Dir + "/..." }

// A Workspace is the checkout and the modules its go.work lists.
type Workspace struct {
	Root    string // absolute
	Modules []Module
}

// Open finds the go.work at or above dir and reads it with the go.mod of every module it uses.
func Open(dir string) (*Workspace, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		data, err := os.ReadFile(filepath.Join(root, "go.work"))
		if err == nil {
			return read(root, data)
		}
		up := filepath.Dir(root)
		if !errors.Is(err, fs.ErrNotExist) || up == root {
			return nil, fmt.Errorf("build: no go.work at or above %s: %w", dir, err)
		}
		root = up
	}
}

func read(root string, data []byte) (*Workspace, error) {
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Root: root}
	for _, use := range work.Use {
		m, err := readModule(root, path.Clean(filepath.ToSlash(use.Path)))
		if err != nil {
			return nil, err
		}
		w.Modules = append(w.Modules, m)
	}
	if len(w.Modules) == 0 {
		return nil, fmt.Errorf("build: %s uses no module", filepath.Join(root, "go.work"))
	}
	return w, nil
}

func readModule(root, dir string) (Module, error) {
	name := filepath.Join(root, filepath.FromSlash(dir), "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return Module{}, err
	}
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return Module{}, err
	}
	if f.Module == nil {
		return Module{}, fmt.Errorf("build: %s has no module line", name)
	}
	return Module{Dir: dir, Path: f.Module.Mod.Path, File: f}, nil
}

// Products returns the modules that users import, in the order of go.work.
func (w *Workspace) Products() []Module {
	var out []Module
	for _, m := range w.Modules {
		if m.Product() {
			out = append(out, m)
		}
	}
	return out
}

// product returns the product module of an import path.
func (w *Workspace) product(path string) (Module, bool) {
	for _, m := range w.Modules {
		if m.Path == path && m.Product() {
			return m, true
		}
	}
	return Module{}, false
}

// bottomUp returns the products so that each one comes after those it requires, and otherwise in the order of go.work.
func (w *Workspace) bottomUp() ([]Module, error) {
	var out []Module
	state := map[string]int{} // 1: on the way, 2: placed
	var place func(m Module) error
	place = func(m Module) error {
		switch state[m.Path] {
		case 1:
			return fmt.Errorf("build: %s requires itself, through others", m.Dir)
		case 2:
			return nil
		}
		state[m.Path] = 1
		for _, r := range m.File.Require {
			if below, ok := w.product(r.Mod.Path); ok {
				if err := place(below); err != nil {
					return err
				}
			}
		}
		state[m.Path] = 2
		out = append(out, m)
		return nil
	}
	for _, m := range w.Products() {
		if err := place(m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// dir returns the absolute directory of a module, or of any slash-separated path below the root.
func (w *Workspace) dir(rel string) string { return filepath.Join(w.Root, filepath.FromSlash(rel)) }

func patterns(modules []Module) []string {
	var out []string
	for _, m := range modules {
		out = append(out, m.pattern())
	}
	return out
}

// goFiles lists every Go file below the root, relative to it. It skips what is not ours to format: hidden folders, node_modules and testdata.
func (w *Workspace) goFiles() ([]string, error) {
	var out []string
	err := filepath.WalkDir(w.Root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != w.Root && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(base, ".go") {
			rel, err := filepath.Rel(w.Root, name)
			if err != nil {
				return err
			}
			out = append(out, rel)
		}
		return nil
	})
	return out, err
}
