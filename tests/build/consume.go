package build

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// consumeVersion is the version the modules are staged under.
const consumeVersion = "v0.1.0"

// lean lists the modules that promise a short list of dependencies, and the only modules beside the standard library that a consumer may link.
var lean = map[string][]string{"okio": {"github.com/klauspost/compress"}}

// Consume proves that the modules work for somebody who has never seen this checkout: it stages them in a module proxy, then builds an empty
// consumer of each one outside the workspace, with a module cache that has never held them, and installs every command by version.
func Consume(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	tmp, remove, err := tempDir("consume")
	if err != nil {
		return err
	}
	defer remove()
	proxy := filepath.Join(tmp, "proxy")
	if err := w.stage(proxy, consumeVersion); err != nil {
		return err
	}
	env, err := w.consumerEnv(ctx, tmp, proxy)
	if err != nil {
		return err
	}
	return w.consumers(ctx, tmp, consumeVersion, env)
}

// consumers builds a consumer of each product below tmp and installs the commands into its folder bin.
func (w *Workspace) consumers(ctx context.Context, tmp, version string, env []string) error {
	for _, m := range w.Products() {
		if err := w.consume(ctx, m, filepath.Join(tmp, "consumer", m.Dir), version, env); err != nil {
			return fmt.Errorf("build: consumer of %s: %w", m.Dir, err)
		}
	}
	return w.install(ctx, env, filepath.Join(tmp, "bin"), version)
}

// consumerEnv makes a go environment of its own. Modules of other owners come from what this machine has already downloaded, or from where its
// go command usually gets them; our versions exist nowhere else, so no checksum database can know them.
func (w *Workspace) consumerEnv(ctx context.Context, tmp, proxy string) ([]string, error) {
	out, err := command{dir: w.Root}.output(ctx, "go", "env", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GONOSUMDB")
	if err != nil {
		return nil, err
	}
	have := append(strings.Split(out, "\n"), "", "", "")
	cache, upstream, flags, nosum := have[0], have[1], have[2], have[3]
	proxies := []string{fileURL(proxy), fileURL(filepath.Join(cache, "cache", "download"))}
	if upstream != "" {
		proxies = append(proxies, upstream)
	}
	var ours []string
	if nosum != "" {
		ours = append(ours, nosum)
	}
	for _, m := range w.Products() {
		ours = append(ours, m.Path)
	}
	return []string{
		alone,
		"GOPROXY=" + strings.Join(proxies, ","),
		"GONOPROXY=none",
		"GONOSUMDB=" + strings.Join(ours, ","),
		"GOMODCACHE=" + filepath.Join(tmp, "modcache"),
		// The folder can be removed, and what is compiled does not depend on where it is, so that it is compiled once for all caches of modules.
		"GOFLAGS=" + strings.TrimSpace(flags+" -modcacherw -trimpath"),
		"GOBIN=" + filepath.Join(tmp, "bin"),
	}, nil
}

func fileURL(dir string) string {
	p := filepath.ToSlash(dir)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a Windows drive
	}
	return "file://" + p
}

// consume makes the program a user would make first: a module of one file that imports every package of m.
func (w *Workspace) consume(ctx context.Context, m Module, dir, version string, env []string) error {
	imports, err := w.packages(ctx, m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var src strings.Builder
	src.WriteString("package main\n\n")
	for _, p := range imports {
		fmt.Fprintf(&src, "import _ %q\n", p)
	}
	src.WriteString("\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src.String()), 0o644); err != nil {
		return err
	}
	c := command{dir: dir, env: env}
	get := []string{"get"}
	for _, p := range imports {
		get = append(get, p+"@"+version)
	}
	for _, args := range [][]string{
		{"mod", "init", "consumer.example"},
		get,
		{"build", "-o", filepath.Join(dir, "program.exe"), "."}, // a name that every system runs
	} {
		if out, err := c.quiet(ctx, "go", args...); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	// What a package does when it is loaded is the one thing that building does not show.
	if out, err := c.quiet(ctx, filepath.Join(dir, "program.exe")); err != nil || out != "" {
		return fmt.Errorf("build: a program that only imports %s printed %q and ended with: %v", m.Path, out, err)
	}
	linked, err := c.output(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	if err != nil {
		return err
	}
	deps := foreign(linked, m.Path, "consumer.example")
	if allowed, ok := lean[m.Dir]; ok {
		for _, d := range deps {
			if !slices.Contains(allowed, d) {
				return fmt.Errorf("build: %s links %s; it may link the standard library and %s only", m.Dir, d, strings.Join(allowed, ", "))
			}
		}
	}
	fmt.Printf("consumer of %-14s %d packages; links %s\n", m.Dir+":", len(imports), orNothing(deps))
	return nil
}

// packages lists the packages of m that others may import.
func (w *Workspace) packages(ctx context.Context, m Module) ([]string, error) {
	out, err := command{dir: w.Root}.output(ctx, "go", "list", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, m.pattern())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(out), func(p string) bool {
		return strings.Contains(p+"/", "/internal/")
	}), nil
}

// foreign returns the distinct modules of a go list listing, in order, without those named.
func foreign(listing string, without ...string) []string {
	mods := slices.DeleteFunc(strings.Fields(listing), func(p string) bool { return slices.Contains(without, p) })
	slices.Sort(mods)
	return slices.Compact(mods)
}

func orNothing(deps []string) string {
	if len(deps) == 0 {
		return "nothing but the standard library"
	}
	return strings.Join(deps, ", ")
}

// install installs the commands of every product module by version, as a user without a checkout does.
func (w *Workspace) install(ctx context.Context, env []string, bin, version string) error {
	for _, m := range w.Products() {
		out, err := command{dir: w.Root}.output(ctx, "go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, m.pattern())
		if err != nil {
			return err
		}
		for _, p := range strings.Fields(out) {
			if out, err := (command{dir: filepath.Dir(bin), env: env}).quiet(ctx, "go", "install", p+"@"+version); err != nil {
				return fmt.Errorf("%w\n%s", err, out)
			}
			fmt.Printf("installed %s@%s\n", p, version)
			if matches, err := filepath.Glob(filepath.Join(bin, path.Base(p)+"*")); err != nil || len(matches) == 0 {
				return fmt.Errorf("build: go install %s left no command in GOBIN", p)
			}
		}
	}
	if _, err := os.Stat(bin); err != nil {
		fmt.Println("no module has a command yet: nothing to install")
	}
	return nil
}
