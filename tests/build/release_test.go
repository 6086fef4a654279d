package build

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var releaseDay = time.Date(2027, 1, 29, 23, 59, 0, 0, time.FixedZone("", -3600)) // a Friday there, a Saturday in UTC

// small is a repository of two products and the rooms around them.
func small() map[string]string {
	replace := "\nreplace example.com/ok/low => ../low\n"
	return map[string]string{
		"go.work":            "go 1.26.0\n\nuse (\n\t./high\n\t./low\n\t./tests\n)\n",
		"LICENSE":            "the licence of the root\n",
		"CHANGELOG.md":       "# Changelog\n\nNewest first.\n\n## Unreleased\n\nAll of it.\n",
		"low/go.mod":         "module example.com/ok/low\n\ngo 1.26.0\n",
		"low/low.go":         "// Package low is below.\npackage low\n\n// Version is the version.\nconst Version = \"0.0.0\"\n\n// Do does it.\nfunc Do() {}\n",
		"high/go.mod":        "module example.com/ok/high\n\ngo 1.26.0\n\nrequire example.com/ok/low v0.0.0\n" + replace,
		"high/high.go":       "// Package high is above.\npackage high\n\nimport \"example.com/ok/low\"\n\n// Do does more.\nfunc Do() { low.Do() }\n",
		"high/cmd/h/main.go": "package main\n\nimport \"example.com/ok/high\"\n\nfunc main() { high.Do() }\n",
		"tests/go.mod":       "module example.com/ok/tests\n\ngo 1.26.0\n\nrequire example.com/ok/high v0.0.0\n\nrequire example.com/ok/low v0.0.0 // indirect\n\nreplace (\n\texample.com/ok/high => ../high\n\texample.com/ok/low => ../low\n)\n",
		"tests/t.go":         "package tests\n\nimport _ \"example.com/ok/high\"\n",
		"tests/api/low.txt":  "package low // example.com/ok/low\nconst Version untyped string = \"0.0.0\"\nfunc Do()\n",
		"tests/api/high.txt": "package high // example.com/ok/high\nfunc Do()\n",
		".gitignore":         "*.prof\n",
		"low/mem.prof":       "not of the module",
	}
}

// inGit makes the files a repository on a branch main, with an author.
func inGit(t *testing.T, root string) repository {
	t.Helper()
	git, err := openRepository(root)
	if err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "A Maintainer"}, {"config", "user.email", "maintainer@example.com"},
	} {
		run(t, git, args...)
	}
	commitAll(t, git, "as it was")
	return git
}

func run(t *testing.T, git repository, args ...string) string {
	t.Helper()
	out, err := git.git(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func commitAll(t *testing.T, git repository, message string) {
	t.Helper()
	if _, err := git.commit(t.Context(), message); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func releaseAt(ctx context.Context, root, version string) error {
	w, err := Open(root)
	if err != nil {
		return err
	}
	return w.release(ctx, version, releaseDay)
}

func TestRelease(t *testing.T) {
	root := tree(t, small())
	git := inGit(t, root)
	if err := releaseAt(t.Context(), root, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	if got, want := run(t, git, "log", "--format=%s"), "after v0.1.0: modules of this repository come from their folders again\nrelease v0.1.0\nas it was"; got != want {
		t.Errorf("commits\n%s\nwant\n%s", got, want)
	}
	if got := run(t, git, "status", "--porcelain"); got != "" {
		t.Errorf("the checkout has changes:\n%s", got)
	}
	for _, tag := range []string{"low/v0.1.0", "high/v0.1.0"} {
		if got := run(t, git, "cat-file", "-t", tag); got != "tag" {
			t.Errorf("%s is a %s, want an annotated tag", tag, got)
		}
		if got, want := run(t, git, "rev-parse", tag+"^{commit}"), run(t, git, "rev-parse", "HEAD~1"); got != want {
			t.Errorf("%s is at %s, want the release commit %s", tag, got, want)
		}
	}
	show := func(rev, name string) string { return run(t, git, "show", rev+":"+name) }

	if got := show("HEAD~1", "high/go.mod"); got != "module example.com/ok/high\n\ngo 1.26.0\n\nrequire example.com/ok/low v0.1.0" {
		t.Errorf("released high/go.mod is\n%s", got)
	}
	if got := show("HEAD~1", "high/go.sum"); strings.Count(got, "example.com/ok/low v0.1.0") != 2 {
		t.Errorf("released high/go.sum is\n%s\nwant the sums of low and its go.mod", got)
	}
	if got := show("HEAD~1", "tests/go.mod"); !strings.Contains(got, "low v0.1.0") || !strings.Contains(got, "high v0.1.0") || strings.Count(got, "=> ../") != 2 {
		t.Errorf("tests/go.mod of the release is\n%s\nwant the version required, and both replace lines", got)
	}
	if got := show("HEAD~1", "CHANGELOG.md"); got != "# Changelog\n\nNewest first.\n\n## Unreleased\n\n## v0.1.0, 2027-01-30\n\nAll of it." {
		t.Errorf("changelog is\n%s", got)
	}
	if got := show("HEAD~1", "low/low.go"); !strings.Contains(got, `const Version = "0.1.0"`) {
		t.Errorf("low.go is\n%s", got)
	}
	if got := show("HEAD~1", "tests/api/low.txt"); !strings.Contains(got, `"0.1.0"`) {
		t.Errorf("the listing of low is\n%s", got)
	}

	if got := show("HEAD", "high/go.mod"); got != "module example.com/ok/high\n\ngo 1.26.0\n\nrequire example.com/ok/low v0.1.0\n\nreplace example.com/ok/low => ../low" {
		t.Errorf("high/go.mod after the release is\n%s", got)
	}
	if changed := run(t, git, "diff", "--name-only", "HEAD~1", "HEAD"); changed != "high/go.mod\nhigh/go.sum" {
		t.Errorf("the commit after the release changes\n%s\nwant high/go.mod and high/go.sum", changed)
	}
	if out, err := (command{dir: root}).quiet(t.Context(), "go", "build", "./high/...", "./low/...", "./tests/..."); err != nil {
		t.Errorf("the workspace does not build after the release: %v\n%s", err, out)
	}

	t.Run("and the next one", func(t *testing.T) { nextRelease(t, root, git) })
}

// nextRelease refuses what must not follow v0.1.0, and makes v0.2.0.
func nextRelease(t *testing.T, root string, git repository) {
	refused := func(version, want string) {
		t.Helper()
		before := run(t, git, "for-each-ref")
		if err := releaseAt(t.Context(), root, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", version, err, want)
		}
		if after := run(t, git, "for-each-ref"); after != before {
			t.Errorf("%s was refused and left\n%s\nwhere there was\n%s", version, after, before)
		}
	}
	refused("v0.2.0", "CHANGELOG.md says nothing")
	write(t, root, "CHANGELOG.md", strings.Replace(run(t, git, "show", "HEAD:CHANGELOG.md"), "## Unreleased\n", "## Unreleased\n\nMore.\n", 1)+"\n")
	refused("v0.2.0", "changes that are not committed")
	write(t, root, "high/high.go", "// Package high is above.\npackage high\n\nimport \"example.com/ok/low\"\n\n// Try does more.\nfunc Try() { low.Do() }\n")
	write(t, root, "high/cmd/h/main.go", "package main\n\nimport \"example.com/ok/high\"\n\nfunc main() { high.Try() }\n")
	write(t, root, "tests/api/high.txt", "package high // example.com/ok/high\nfunc Try()\n")
	commitAll(t, git, "high: Try in the place of Do")
	refused("v0.1.0", "does not come after v0.1.0")
	refused("v0.0.9", "does not come after v0.1.0")
	refused("v0.1.1", "wants a new minor version and not v0.1.1:\nhigh: example.com/ok/high func Do()")
	run(t, git, "checkout", "--quiet", "--detach")
	refused("v0.2.0", "a release is made on a branch")
	run(t, git, "checkout", "--quiet", "main")
	// What does not build without the workspace is not released: low has no such function at v0.2.0.
	write(t, root, "high/high.go", "package high\n\nimport \"example.com/ok/low\"\n\nfunc Try() { low.Nothing() }\n")
	commitAll(t, git, "high: broken")
	refused("v0.2.0", "undefined: low.Nothing")
	run(t, git, "revert", "--no-edit", "HEAD")

	if err := releaseAt(t.Context(), root, "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	want := []string{"high/v0.1.0", "high/v0.2.0", "low/v0.1.0", "low/v0.2.0"}
	if got := strings.Fields(run(t, git, "tag", "--list")); !slices.Equal(got, want) {
		t.Errorf("tags %q, want %q", got, want)
	}
	if got := run(t, git, "show", "high/v0.2.0:high/go.mod"); !strings.Contains(got, "low v0.2.0") || strings.Contains(got, "=>") {
		t.Errorf("high/go.mod of v0.2.0 is\n%s", got)
	}
}

func TestReleaseUndoesItsTags(t *testing.T) {
	root := tree(t, small())
	git := inGit(t, root)
	// A tag in the way that the list of versions does not show: git refuses high/v0.1.0 where high/v0.1.0/x is one.
	run(t, git, "tag", "high/v0.1.0/x")
	before := run(t, git, "for-each-ref")
	if err := releaseAt(t.Context(), root, "v0.1.0"); err == nil {
		t.Error("no error, want git's")
	}
	if after := run(t, git, "for-each-ref"); after != before {
		t.Errorf("what is left is\n%s\nwant\n%s", after, before)
	}
	if got := run(t, git, "status", "--porcelain"); got != "" {
		t.Errorf("the checkout has changes:\n%s", got)
	}
}

// TestRehearsal makes a release of this very repository, in a copy, and gets the commands from its tags as a user would, with git and without a proxy.
func TestRehearsal(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of building")
	}
	w, err := Open(".")
	if err != nil {
		t.Fatal(err)
	}
	here, err := openRepository(w.Root)
	if err != nil {
		t.Skip(err)
	}
	files, err := here.lines(t.Context(), "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Skip("not a checkout of git: ", err)
	}
	root := t.TempDir()
	for _, name := range files {
		data, err := os.ReadFile(w.dir(name))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Right after a release nothing is unreleased.
	if err := edit(filepath.Join(root, "CHANGELOG.md"), func(text string) (string, error) {
		return strings.Replace(text, "\n"+unreleased, "\n"+unreleased+"\nA rehearsal.\n", 1), nil
	}); err != nil {
		t.Fatal(err)
	}
	git := inGit(t, root)
	t.Setenv("GOSUMDB", "off")  // the cache of this machine has what others wrote, checked when it came
	const version = "v0.9999.0" // never a real one
	if err := releaseAt(t.Context(), root, version); err != nil {
		t.Fatal(err)
	}
	copied, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range copied.Products() {
		released := run(t, git, "show", m.Dir+"/"+version+":"+m.Dir+"/go.mod")
		if strings.Contains(released, "replace") || strings.Contains(released, "v0.0.0") {
			t.Errorf("the released go.mod of %s is\n%s", m.Dir, released)
		}
	}
	for _, m := range copied.Modules {
		if out, err := (command{dir: copied.dir(m.Dir), env: []string{alone}}).quiet(t.Context(), "go", "mod", "tidy", "-diff"); err != nil {
			t.Errorf("after the release %s is not tidy: %v\n%s", m.Dir, err, out)
		}
	}
	// The workspace needs no sum that it has not.
	if out, err := (command{dir: root}).quiet(t.Context(), "go", append([]string{"list", "-deps", "-test", "-f", "{{if .Error}}{{.Error}}{{end}}"}, patterns(copied.Modules)...)...); err != nil {
		t.Errorf("the workspace does not load after the release: %v\n%s", err, out)
	}
	if got := run(t, git, "status", "--porcelain"); got != "" {
		t.Errorf("the copy has changes after the release:\n%s", got)
	}
	fromTags(t, copied, git, version)
}

// fromTags installs each command by version from a repository that stands for the published one.
func fromTags(t *testing.T, w *Workspace, git repository, version string) {
	tmp := t.TempDir()
	env, err := w.consumerEnv(t.Context(), tmp, filepath.Join(tmp, "no-proxy"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := command{}.output(t.Context(), "go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	env = append(env,
		"GOPROXY="+fileURL(filepath.Join(cache, "cache", "download"))+",direct",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+fileURL(git.dir)+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/okhttp-go/ok")
	bin := filepath.Join(tmp, "bin")
	if err := w.install(t.Context(), env, bin, version); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"okcurl": strings.TrimPrefix(version, "v"), "mockserver": ""} {
		if exe, err := exec.LookPath(filepath.Join(bin, command)); err != nil {
			t.Error(err)
		} else if out, err := exec.Command(exe, "--help").CombinedOutput(); err != nil {
			t.Errorf("%s --help: %v\n%s", command, err, out)
		} else if out, err := exec.Command(exe, "--version").CombinedOutput(); want != "" && (err != nil || !strings.Contains(string(out), want)) {
			t.Errorf("%s --version: %v\n%s\nwant %s in it", command, err, out, want)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	modules := []Module{{Dir: "low", Path: "example.com/ok/low"}}
	for version, want := range map[string]string{
		"v0.1.0": "", "v1.0.0": "", "v1.2.3-rc.1": "",
		"": "is not a version", "1.2.3": "is not a version", "v1.2": "is not a version", "v01.2.3": "is not a version", "v1.2.3+meta": "is not a version",
		"v2.0.0": "module example.com/ok/low cannot have version v2.0.0",
	} {
		err := checkVersion(version, modules)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", version, err, want)
		}
	}
}

func TestBottomUp(t *testing.T) {
	files := small()
	files["go.work"] = "go 1.26.0\n\nuse (\n\t./above\n\t./high\n\t./low\n\t./alone\n)\n"
	files["above/go.mod"] = "module example.com/ok/above\n\ngo 1.26.0\n\nrequire example.com/ok/high v0.0.0\n"
	files["alone/go.mod"] = "module example.com/ok/alone\n\ngo 1.26.0\n"
	order := func() (dirs []string, err error) {
		w, err := Open(tree(t, maps.Clone(files)))
		if err != nil {
			t.Fatal(err)
		}
		modules, err := w.bottomUp()
		for _, m := range modules {
			dirs = append(dirs, m.Dir)
		}
		return dirs, err
	}
	if got, err := order(); err != nil || !slices.Equal(got, []string{"low", "high", "above", "alone"}) {
		t.Errorf("order %q and error %v, want low, high, above, alone", got, err)
	}
	files["low/go.mod"] += "\nrequire example.com/ok/above v0.0.0\n"
	if _, err := order(); err == nil || !strings.Contains(err.Error(), "requires itself") {
		t.Errorf("error %v of a circle", err)
	}
}
