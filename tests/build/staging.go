package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// stage writes the product modules into dir as a module proxy serves them (go.dev/ref/mod#goproxy-protocol): for each one a list of versions, and
// the .info, .mod and .zip of this version. What is staged is what a release would publish: no replace lines, and siblings required by version.
func (w *Workspace) stage(dir, version string) error {
	for _, m := range w.Products() {
		mod, err := w.released(m, version)
		if err != nil {
			return fmt.Errorf("build: go.mod of %s: %w", m.Dir, err)
		}
		v := module.Version{Path: m.Path, Version: version}
		if err := stageModule(dir, v, mod, func(out io.Writer) error { return w.pack(out, v, m.Dir, mod) }); err != nil {
			return fmt.Errorf("build: stage %s: %w", m.Dir, err)
		}
	}
	return nil
}

// released returns the module's go.mod as of the release of version.
func (w *Workspace) released(m Module, version string) ([]byte, error) {
	// m.File belongs to the workspace, so the edit happens on a copy read from disk.
	c, err := readModule(w.Root, m.Dir)
	if err != nil {
		return nil, err
	}
	f := c.File
	for _, r := range slices.Clone(f.Replace) {
		if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return nil, err
		}
	}
	if err := w.requireSiblings(f, version); err != nil {
		return nil, err
	}
	f.Cleanup()
	return f.Format()
}

// requireSiblings makes every requirement of a product one of this version.
func (w *Workspace) requireSiblings(f *modfile.File, version string) error {
	for _, r := range slices.Clone(f.Require) {
		if _, ok := w.product(r.Mod.Path); !ok {
			continue
		}
		if err := f.AddRequire(r.Mod.Path, version); err != nil {
			return err
		}
	}
	return nil
}

// stageModule writes one version of one module into a proxy.
func stageModule(proxy string, v module.Version, mod []byte, pack func(io.Writer) error) error {
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return err
	}
	at := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": v.Version, "Time": time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := pack(&archive); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":              []byte(v.Version + "\n"),
		v.Version + ".info": info,
		v.Version + ".mod":  mod,
		v.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pack writes the module's zip. As the go command does for a module in a subdirectory, it adds the LICENSE of the root where the module has none.
func (w *Workspace) pack(out io.Writer, v module.Version, dir string, mod []byte) error {
	checked, err := modzip.CheckDir(w.dir(dir))
	if err != nil {
		return err
	}
	if err := checked.Err(); err != nil {
		return err
	}
	var files []modzip.File
	licence := false
	for _, file := range checked.Valid {
		rel, err := filepath.Rel(w.dir(dir), file)
		if err != nil {
			return err
		}
		f := packed{name: filepath.ToSlash(rel), file: file}
		switch f.name {
		case "go.mod":
			f.data = mod
		case "LICENSE":
			licence = true
		}
		files = append(files, f)
	}
	if root := w.dir("LICENSE"); !licence {
		if _, err := os.Stat(root); err == nil {
			files = append(files, packed{name: "LICENSE", file: root})
		}
	}
	return modzip.Create(out, v, files)
}

// packed is a file of the zip: the file on disk, or data in its stead.
type packed struct {
	name, file string
	data       []byte
}

func (p packed) Path() string { return p.name }

func (p packed) Lstat() (fs.FileInfo, error) {
	info, err := os.Lstat(p.file)
	if err == nil && p.data != nil {
		info = sized{info, int64(len(p.data))}
	}
	return info, err
}

func (p packed) Open() (io.ReadCloser, error) {
	if p.data != nil {
		return io.NopCloser(bytes.NewReader(p.data)), nil
	}
	return os.Open(p.file)
}

// sized is a file's info with the size of what replaces its content.
type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }
