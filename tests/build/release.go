package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"
)

// Release makes a release of every product module in the checkout that it runs in, and pushes nothing. It adds two commits to the present branch:
// the release itself, whose product modules require one another by version and replace nothing, and a commit that takes siblings from their
// folders again. Then it tags the first one for each module, bottom up.
//
// All is done and proved in a clone before the checkout changes: the modules are packed from git as the go command packs them, staged in a module
// proxy, tidied against it, and consumed as [Consume] does. A release that fails leaves the checkout as it was.
func Release(ctx context.Context, version string) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	return w.release(ctx, version, time.Now())
}

func (w *Workspace) release(ctx context.Context, version string, now time.Time) error {
	r, err := w.prepare(ctx, version)
	if err != nil {
		return err
	}
	tmp, remove, err := tempDir("release")
	if err != nil {
		return err
	}
	defer remove()
	clone, err := r.checkout.clone(ctx, filepath.Join(tmp, "clone"))
	if err != nil {
		return err
	}
	inner, err := Open(clone.dir)
	if err != nil {
		return err
	}
	work := releasing{release: r, Workspace: inner, clone: clone, tmp: tmp, proxy: filepath.Join(tmp, "proxy")}
	if work.env, err = w.consumerEnv(ctx, tmp, work.proxy); err != nil {
		return err
	}
	released, err := work.commitRelease(ctx, now)
	if err != nil {
		return err
	}
	fmt.Printf("release %s: %s %s\n", version, released[:12], strings.Join(r.tags, " "))
	if err := inner.consumers(ctx, tmp, version, work.env); err != nil {
		return err
	}
	if err := work.commitDevelopment(ctx); err != nil {
		return err
	}
	return r.publish(ctx, clone, released)
}

// A release is what is to be released.
type release struct {
	version  string
	checkout repository
	branch   string
	modules  []Module // bottom up
	tags     []string // one a module
}

// prepare looks at all that can be wrong before anything is done.
func (w *Workspace) prepare(ctx context.Context, version string) (release, error) {
	r := release{version: version}
	var err error
	if r.modules, err = w.bottomUp(); err != nil {
		return r, err
	}
	if err := checkVersion(version, r.modules); err != nil {
		return r, err
	}
	if r.checkout, err = openRepository(w.Root); err != nil {
		return r, err
	}
	if err := r.checkout.clean(ctx); err != nil {
		return r, err
	}
	if r.branch, err = r.checkout.git(ctx, "symbolic-ref", "--short", "HEAD"); err != nil {
		return r, fmt.Errorf("build: a release is made on a branch: %w", err)
	}
	tags, err := r.checkout.lines(ctx, "tag", "--list")
	if err != nil {
		return r, err
	}
	last, promised := "", "" // the second one is no pre-release
	for _, m := range r.modules {
		r.tags = append(r.tags, m.Dir+"/"+version)
		for _, tag := range tags {
			v, ok := strings.CutPrefix(tag, m.Dir+"/")
			if ok && semver.IsValid(v) && semver.Compare(v, last) > 0 {
				last = v
			}
			if ok && semver.IsValid(v) && semver.Prerelease(v) == "" && semver.Compare(v, promised) > 0 {
				promised = v
			}
		}
	}
	if last == "" {
		fmt.Printf("%s is the first release\n", version)
		return r, nil
	}
	if semver.Compare(version, last) <= 0 {
		return r, fmt.Errorf("build: %s does not come after %s, which is released", version, last)
	}
	if promised == "" {
		fmt.Printf("%s is the first release after pre-releases, which promised nothing\n", version)
		return r, nil
	}
	return r, w.checkSurface(ctx, r.checkout, tags, promised, version)
}

// checkVersion wants a version that a tag can have and that suits the modules' paths.
func checkVersion(version string, modules []Module) error {
	if version == "" || semver.Canonical(version) != version {
		return fmt.Errorf("build: %q is not a version as v1.2.3 or v1.2.3-rc.1", version)
	}
	for _, m := range modules {
		if _, major, ok := module.SplitPathVersion(m.Path); !ok || module.CheckPathMajor(version, major) != nil {
			return fmt.Errorf("build: module %s cannot have version %s: from v2 on a module's path ends with its major version", m.Path, version)
		}
	}
	return nil
}

// publish moves the branch to the two commits of the clone and sets the tags. A tag that cannot be set undoes it all.
func (r release) publish(ctx context.Context, clone repository, released string) (err error) {
	before, err := r.checkout.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if _, err := r.checkout.git(ctx, "fetch", "--quiet", "--no-tags", clone.dir, "HEAD"); err != nil {
		return err
	}
	if _, err := r.checkout.git(ctx, "merge", "--quiet", "--ff-only", "FETCH_HEAD"); err != nil {
		return err
	}
	var set []string
	defer func() {
		if err == nil {
			return
		}
		for _, tag := range set {
			_, _ = r.checkout.git(ctx, "tag", "--delete", tag)
		}
		_, _ = r.checkout.git(ctx, "reset", "--quiet", "--keep", before)
	}()
	for i, m := range r.modules {
		message := m.Path + " " + r.version
		if _, err := r.checkout.git(ctx, "tag", "--annotate", "--message", message, r.tags[i], released); err != nil {
			return err
		}
		set = append(set, r.tags[i])
	}
	tags := strings.Join(r.tags, " ")
	fmt.Printf("\n%s is on branch %s, with its tags. Nothing is pushed. To publish it, all at once:\n\n    git push --atomic origin %s %s\n\n"+
		"To drop it instead:\n\n    git tag --delete %s\n    git reset --keep %s\n", r.version, r.branch, r.branch, tags, tags, before)
	return nil
}

// releasing is a release under way in a clone.
type releasing struct {
	release
	*Workspace // of the clone
	clone      repository
	tmp, proxy string
	env        []string // of a go command that finds in the proxy what is released
}

// commitRelease makes the commit that is tagged, and stages its modules.
func (r *releasing) commitRelease(ctx context.Context, now time.Time) (string, error) {
	if err := edit(r.dir("CHANGELOG.md"), func(text string) (string, error) { return releaseChangelog(text, r.version, now) }); err != nil {
		return "", err
	}
	if err := r.setVersions(r.version); err != nil {
		return "", err
	}
	if err := r.requireReleased(r.version); err != nil {
		return "", err
	}
	var trees []string
	for _, m := range r.modules {
		mod, err := r.released(m, r.version)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(r.dir(m.Dir+"/go.mod"), mod, 0o644); err != nil {
			return "", err
		}
		// The sums of the modules below are known now, since those are staged.
		if err := r.tidy(ctx, m.Dir, r.env); err != nil {
			return "", err
		}
		tree, err := r.stageFromGit(ctx, m)
		if err != nil {
			return "", fmt.Errorf("build: stage %s: %w", m.Dir, err)
		}
		trees = append(trees, tree)
	}
	commit, err := r.clone.commit(ctx, "release "+r.version)
	if err != nil {
		return "", err
	}
	// What was staged, while higher modules were still to be written, is what the tag holds.
	for i, m := range r.modules {
		if got, err := r.clone.git(ctx, "rev-parse", commit+":"+m.Dir); err != nil || got != trees[i] {
			return "", fmt.Errorf("build: the folder %s changed after it was staged (%s, now %s): %w", m.Dir, trees[i], got, err)
		}
	}
	return commit, nil
}

// stageFromGit packs a module as git has it, as the go command does, and returns the tree of its folder.
func (r *releasing) stageFromGit(ctx context.Context, m Module) (string, error) {
	if _, err := r.clone.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := r.clone.git(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(r.dir(m.Dir + "/go.mod"))
	if err != nil {
		return "", err
	}
	v := module.Version{Path: m.Path, Version: r.version}
	if err := stageModule(r.proxy, v, mod, func(out io.Writer) error { return modzip.CreateFromVCS(out, v, r.clone.dir, tree, m.Dir) }); err != nil {
		return "", err
	}
	return r.clone.git(ctx, "rev-parse", tree+":"+m.Dir)
}

// commitDevelopment makes the commit after the release.
func (r *releasing) commitDevelopment(ctx context.Context) error {
	for _, m := range r.modules {
		if err := r.replaceSiblings(m); err != nil {
			return err
		}
	}
	for _, m := range r.modules {
		if err := r.tidy(ctx, m.Dir, r.env); err != nil {
			return err
		}
	}
	_, err := r.clone.commit(ctx, "after "+r.version+": modules of this repository come from their folders again")
	return err
}

func (r *releasing) tidy(ctx context.Context, dir string, env []string) error {
	if out, err := (command{dir: r.dir(dir), env: env}).quiet(ctx, "go", "mod", "tidy"); err != nil {
		return fmt.Errorf("%w in %s\n%s", err, dir, out)
	}
	return nil
}

// edit changes the text of a file.
func edit(name string, change func(string) (string, error)) error {
	before, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	after, err := change(string(before))
	if err != nil || after == string(before) {
		return err
	}
	return os.WriteFile(name, []byte(after), 0o644)
}
