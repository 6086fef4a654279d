package build

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// Docs checks that the code the pages include is there, makes the API reference, the tables of the
// comparison and the pictures, installs the site's pinned packages and builds it. A dead link fails the
// build, and so does a page that is too heavy for a phone.
func Docs(ctx context.Context) error { return site(ctx, "build") }

// DocsServe installs the same packages and serves the site on localhost, following edits, until it is interrupted.
func DocsServe(ctx context.Context) error { return site(ctx, "dev") }

// errNoNPM says what is missing; nothing else of the repository needs Node.
var errNoNPM = errors.New("build: npm is not installed: the documentation site needs Node.js 20 or later with npm")

func site(ctx context.Context, script string) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	if err := snippets(w.dir("docs")); err != nil {
		return err
	}
	if err := w.Reference(); err != nil {
		return err
	}
	if err := w.Timelines(ctx); err != nil {
		return err
	}
	if err := w.Peers(); err != nil {
		return err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w (%w)", errNoNPM, err)
	}
	c := command{dir: w.dir("docs")}
	if err := c.run(ctx, npm, "ci", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	if err := c.run(ctx, npm, "run", "--silent", script); err != nil || script != "build" {
		return err
	}
	page, most, err := weigh(w.dir("docs/.vitepress/dist"))
	if err == nil {
		fmt.Printf("the heaviest page is %s, with %d kB\n", page, most/1000)
	}
	return err
}
