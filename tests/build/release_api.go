package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// listings is where package tests/api keeps what each product exports.
const listings = "tests/api"

// checkSurface compares what the products export with what the last release did, and wants a version that says so.
func (w *Workspace) checkSurface(ctx context.Context, git repository, tags []string, last, version string) error {
	var gone, come []string
	for _, m := range w.Products() {
		file := listings + "/" + m.Dir + ".txt"
		now, err := os.ReadFile(w.dir(file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		before := ""
		if tag := m.Dir + "/" + last; slices.Contains(tags, tag) {
			// A module that had no listing exported nothing that it promised.
			if before, err = git.git(ctx, "show", tag+":"+file); err != nil {
				before = ""
			}
		}
		lost, new := surfaceChanges(before, string(now))
		for _, line := range lost {
			gone = append(gone, m.Dir+": "+line)
		}
		for _, line := range new {
			come = append(come, m.Dir+": "+line)
		}
	}
	fmt.Printf("since %s: %d lines of the exported surface are gone or other, %d have come\n", last, len(gone), len(come))
	return checkStep(last, version, gone, come)
}

// checkStep holds the step from one version to the next against what has changed, by semantic versioning: from v1 on nothing goes away without a new
// major version and nothing comes without a new minor one; before, what goes away wants a new minor version.
func checkStep(last, version string, gone, come []string) error {
	minor := semver.MajorMinor(version) != semver.MajorMinor(last)
	promised := semver.Compare(last, "v1.0.0") >= 0
	switch {
	case len(gone) > 0 && promised:
		return fmt.Errorf("build: %s cannot take away what %s exports; that wants a new major version:\n%s", version, last, strings.Join(gone, "\n"))
	case len(gone) > 0 && !minor:
		return fmt.Errorf("build: what %s exports is gone or other, which wants a new minor version and not %s:\n%s", last, version, strings.Join(gone, "\n"))
	case len(come) > 0 && promised && !minor:
		return fmt.Errorf("build: more is exported than by %s, which wants a new minor version and not %s:\n%s", last, version, strings.Join(come, "\n"))
	}
	return nil
}

// surfaceChanges returns what is gone or other, and what has come, line by line, each with what it belongs to. A method that comes to an interface
// which others may implement takes something away: their types do not implement it any more. The version of a module is no part of its surface.
func surfaceChanges(before, now string) (gone, come []string) {
	old, new := surface(before), surface(now)
	for _, line := range old {
		if !slices.Contains(new, line) {
			gone = append(gone, line)
		}
	}
	for _, line := range new {
		if slices.Contains(old, line) {
			continue
		}
		if owner, _, member := strings.Cut(line, ": "); member && strings.HasSuffix(owner, " interface") && slices.Contains(old, owner) {
			gone = append(gone, line)
			continue
		}
		come = append(come, line)
	}
	return gone, come
}

// surface gives each line of a listing its package, and a member its type. That a struct has unexported fields is nobody's concern.
func surface(listing string) (lines []string) {
	pkg, owner := "", ""
	for line := range strings.Lines(listing) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), " // with unexported fields")
		if name, ok := strings.CutPrefix(line, "package "); ok {
			_, pkg, _ = strings.Cut(name, " // ")
			continue
		}
		if line == "" || versionListing.MatchString(line) {
			continue
		}
		if !strings.HasPrefix(line, "\t") {
			owner = pkg + " " + line
			lines = append(lines, owner)
			continue
		}
		lines = append(lines, owner+": "+strings.TrimSpace(line))
	}
	return lines
}
