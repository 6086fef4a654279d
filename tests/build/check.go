package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// platforms are the ones product modules are vetted for besides this machine's: other system calls, another byte size of int.
var platforms = []struct{ os, arch string }{{"windows", "amd64"}, {"darwin", "arm64"}, {"linux", "386"}}

// Check runs every static check and each product module's short tests on its own. It runs all of them even when one fails, prints what each one
// found, and returns an error that names those that failed.
func Check(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	var failed []string
	for _, s := range w.steps() {
		start := time.Now()
		out, err := s.run(ctx)
		if err == nil {
			fmt.Printf("ok    %-34s %5.1fs\n", s.name, time.Since(start).Seconds())
			continue
		}
		fmt.Printf("FAIL  %-34s %5.1fs\n", s.name, time.Since(start).Seconds())
		if out != "" {
			fmt.Println(out)
		}
		fmt.Println(err)
		failed = append(failed, s.name)
		if ctx.Err() != nil {
			break
		}
	}
	if failed != nil {
		return fmt.Errorf("build: check failed: %s", strings.Join(failed, ", "))
	}
	return nil
}

// A step is one check: it returns what it found beside its error.
type step struct {
	name string
	run  func(context.Context) (string, error)
}

func (w *Workspace) steps() []step {
	all, products := patterns(w.Modules), patterns(w.Products())
	steps := []step{
		{"gofmt", w.format},
		{"vet", w.goStep(nil, append([]string{"vet"}, all...)...)},
		{"vet magefile", w.goStep(nil, "vet", "-tags=mage", "magefile.go")},
		{"staticcheck", w.goStep(nil, append([]string{"tool", "staticcheck"}, all...)...)},
		{"snippets of the pages", func(context.Context) (string, error) { return "", snippets(w.dir("docs")) }},
		{"layers and API files", w.goStep(nil, "test", "-count=1", "./tests/layers/...", "./tests/api/...")},
	}
	for _, p := range platforms {
		env := []string{"GOOS=" + p.os, "GOARCH=" + p.arch, "CGO_ENABLED=0"}
		steps = append(steps, step{"vet " + p.os + "/" + p.arch, w.goStep(env, append([]string{"vet"}, products...)...)})
	}
	for _, m := range w.Modules {
		steps = append(steps, step{"tidy " + m.Dir, w.moduleStep(m.Dir, "mod", "tidy", "-diff")})
	}
	steps = append(steps,
		step{"tidy " + benchDir, w.moduleStep(benchDir, "mod", "tidy", "-diff")},
		step{"vet " + benchDir, w.moduleStep(benchDir, "vet", "./...")},
		step{"test " + benchDir, w.moduleStep(benchDir, "test", testTimeout, "./cmd/...")})
	for _, m := range w.Products() {
		steps = append(steps,
			step{"build " + m.Dir + " alone", w.moduleStep(m.Dir, "build", "./...")},
			step{"test " + m.Dir + " alone", w.moduleStep(m.Dir, "test", "-short", testTimeout, "./...")})
	}
	return steps
}

// goStep runs the go command at the root, in the workspace.
func (w *Workspace) goStep(env []string, args ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		return command{dir: w.Root, env: env}.quiet(ctx, "go", args...)
	}
}

// moduleStep runs the go command inside one module that knows nothing of the workspace.
func (w *Workspace) moduleStep(dir string, args ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		return command{dir: w.dir(dir), env: []string{alone}}.quiet(ctx, "go", args...)
	}
}

func (w *Workspace) format(ctx context.Context) (string, error) {
	gofmt, err := tool(ctx, "gofmt")
	if err != nil {
		return "", err
	}
	files, err := w.goFiles()
	if err != nil {
		return "", err
	}
	out, err := command{dir: w.Root}.quiet(ctx, gofmt, append([]string{"-l"}, files...)...)
	if err == nil && out != "" {
		err = errors.New("build: gofmt would change these files")
	}
	return out, err
}

// tempDir makes a folder for one target and returns how to remove it.
func tempDir(name string) (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "ok-"+name+"-")
	return dir, func() { os.RemoveAll(dir) }, err
}
