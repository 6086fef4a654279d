package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// unreleased is the heading under which the changelog collects what the next release brings.
const unreleased = "## Unreleased\n"

// releaseChangelog gives what was unreleased the heading of the version and its day, and leaves an empty section above it.
func releaseChangelog(text, version string, now time.Time) (string, error) {
	before, rest, ok := strings.Cut(text, "\n"+unreleased)
	if !ok {
		return "", fmt.Errorf("build: CHANGELOG.md has no line %q", strings.TrimSpace(unreleased))
	}
	section := rest
	if i := strings.Index(rest, "\n## "); i >= 0 {
		section = rest[:i]
	}
	if strings.Contains(text, "\n## "+version+", ") {
		return "", fmt.Errorf("build: CHANGELOG.md has a section of %s already", version)
	}
	if strings.TrimSpace(section) == "" {
		return "", fmt.Errorf("build: CHANGELOG.md says nothing under %q: what does %s bring?", strings.TrimSpace(unreleased), version)
	}
	return fmt.Sprintf("%s\n%s\n## %s, %s\n%s", before, unreleased, version, now.UTC().Format(time.DateOnly), rest), nil
}

// The constant that a module tells others, and its line in the listing of what the module exports.
var (
	versionConstant = regexp.MustCompile(`(?m)^(const Version = ")[^"]*(")$`)
	versionListing  = regexp.MustCompile(`(?m)^(const Version untyped string = ")[^"]*(")$`)
)

// setVersions writes the version, without its v, wherever a product has a constant for it, and into the listings of package tests/api.
func (w *Workspace) setVersions(version string) error {
	number := "${1}" + strings.TrimPrefix(version, "v") + "${2}"
	files, err := w.goFiles()
	if err != nil {
		return err
	}
	for _, name := range files {
		room, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		if !(Module{Dir: room}).Product() || strings.HasSuffix(name, "_test.go") {
			continue
		}
		err := edit(filepath.Join(w.Root, name), func(text string) (string, error) { return versionConstant.ReplaceAllString(text, number), nil })
		if err != nil {
			return err
		}
	}
	for _, m := range w.Products() {
		err := edit(w.dir(listings+"/"+m.Dir+".txt"), func(text string) (string, error) { return versionListing.ReplaceAllString(text, number), nil })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// rooms are the modules that nobody imports: those of the workspace that are no products, and the benchmarks.
func (w *Workspace) rooms() ([]Module, error) {
	rooms := slices.DeleteFunc(slices.Clone(w.Modules), Module.Product)
	bench, err := readModule(w.Root, benchDir)
	if errors.Is(err, fs.ErrNotExist) {
		return rooms, nil
	}
	return append(rooms, bench), err
}

// requireReleased makes the rooms require the version, as the products do that they stand on. Their replace lines stay.
func (w *Workspace) requireReleased(version string) error {
	rooms, err := w.rooms()
	if err != nil {
		return err
	}
	for _, m := range rooms {
		if err := w.requireSiblings(m.File, version); err != nil {
			return err
		}
		if err := w.write(m); err != nil {
			return err
		}
	}
	return nil
}

// replaceSiblings makes a product take the products it requires from their folders again. It goes on requiring the released version, so that
// somebody who asks for a commit between two releases gets modules that exist.
func (w *Workspace) replaceSiblings(m Module) error {
	m, err := readModule(w.Root, m.Dir)
	if err != nil {
		return err
	}
	for _, r := range m.File.Require {
		below, ok := w.product(r.Mod.Path)
		if !ok {
			continue
		}
		folder, err := filepath.Rel(w.dir(m.Dir), w.dir(below.Dir))
		if err != nil {
			return err
		}
		if err := m.File.AddReplace(below.Path, "", filepath.ToSlash(folder), ""); err != nil {
			return err
		}
	}
	return w.write(m)
}

// write writes the module's go.mod as m.File has it.
func (w *Workspace) write(m Module) error {
	m.File.SortBlocks()
	m.File.Cleanup()
	data, err := m.File.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(w.dir(m.Dir+"/go.mod"), data, 0o644)
}
