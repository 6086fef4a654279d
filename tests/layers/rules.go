package layers

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// prefix is what the import paths of all modules begin with.
const prefix = "github.com/okhttp-go/ok/"

// A room is what one product module may stand on.
type room struct {
	below   []string // sibling modules
	foreign []string // modules of other owners that its packages may import
}

// The foreign modules a product may use. x/text comes with x/net's idna and is never imported by us.
const (
	brotli   = "github.com/andybalholm/brotli"
	compress = "github.com/klauspost/compress"
	xnet     = "golang.org/x/net"
	xtext    = "golang.org/x/text"
)

// products is the table: a module that is not in it fails the test, so that a new one gets its place by decision.
var products = map[string]room{
	"okio":          {nil, []string{compress}},
	"okhttp":        {[]string{"okio"}, []string{xnet, compress}},
	"okhttp-brotli": {[]string{"okhttp", "okio"}, []string{brotli}},
	"okhttp-cache":  {[]string{"okhttp", "okio"}, nil},
	"okhttp-ws":     {[]string{"okhttp", "okio"}, []string{compress}},
	"okhttp-sse":    {[]string{"okhttp", "okio"}, nil},
	"mockserver":    {[]string{"okhttp", "okhttp-ws", "okhttp-sse", "okio"}, nil},
	"okcurl":        {[]string{"okhttp", "okhttp-brotli", "okhttp-cache", "okhttp-ws", "okhttp-sse", "mockserver", "okio"}, nil},
}

// linked are the modules of other owners that come with a room and with those below it.
func (r room) linked() []string {
	all := slices.Clone(r.foreign)
	for _, below := range r.below {
		all = append(all, products[below].foreign...)
	}
	if slices.Contains(all, xnet) {
		all = append(all, xtext)
	}
	return all
}

// machines are the packages that know nothing of the client's vocabulary, nor of net/http.
var machines = []string{"okio", "okhttp/http1", "okhttp/http2"}

// A pkg is one package of a workspace module as go list describes it.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string // all that a build links, not what tests link
	Module                             struct{ Path string }
}

// broken returns one line for each rule that p breaks. standard tells which import paths are the standard library's.
func (p pkg) broken(standard func(string) bool) []string {
	module, ours := strings.CutPrefix(p.Module.Path, prefix)
	if !ours {
		return []string{fmt.Sprintf("%s: module %s is not under %s", p.ImportPath, p.Module.Path, prefix)}
	}
	table, product := products[module]
	if !product && !repositoryRoom(module) {
		return []string{fmt.Sprintf("%s: module %s has no place in the table of layers", p.ImportPath, module)}
	}
	var lines []string
	complain := func(format string, args ...any) { lines = append(lines, p.ImportPath+" "+fmt.Sprintf(format, args...)) }
	seen := map[string]bool{}
	for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		if seen[path] || standard(path) {
			continue
		}
		seen[path] = true
		rel, sibling := strings.CutPrefix(path, prefix)
		switch other := moduleOf(rel); {
		case sibling && other == module:
		case sibling && slices.Contains(strings.Split(rel, "/"), "internal"):
			complain("imports %s, an internal package of module %s", path, other)
		case sibling && product && !slices.Contains(table.below, other):
			complain("imports %s, but %s may stand on %s only", path, module, orNone(table.below))
		case !sibling && product && !slices.ContainsFunc(table.foreign, func(m string) bool { return within(path, m) }):
			complain("imports %s, but %s may use the standard library, its siblings below and %s only", path, module, orNone(table.foreign))
		}
	}
	if rel := strings.TrimPrefix(p.ImportPath, prefix); slices.Contains(machines, rel) {
		for _, path := range p.Deps {
			dep, sibling := strings.CutPrefix(path, prefix)
			below := within(dep, "okio") || slices.Contains(machines, dep) || strings.HasPrefix(dep, "okhttp/internal/")
			if within(path, "net/http") || sibling && !below {
				complain("links %s; a machine knows neither net/http nor the client", path)
			}
		}
	}
	return lines
}

// brokenMod returns one line for each requirement and replacement of a product's go.mod that rule 4 forbids.
func brokenMod(module string, f *modfile.File) (lines []string) {
	table := products[module]
	for _, r := range f.Require {
		rel, sibling := strings.CutPrefix(r.Mod.Path, prefix)
		switch {
		case sibling && slices.Contains(table.below, rel):
		case !sibling && (slices.Contains(table.foreign, r.Mod.Path) || r.Indirect && slices.Contains(table.linked(), r.Mod.Path)):
		default:
			lines = append(lines, fmt.Sprintf("%s/go.mod requires %s; it may require %s, %s", module, r.Mod.Path, orNone(table.below), orNone(table.foreign)))
		}
	}
	for _, r := range f.Replace {
		if !strings.HasPrefix(r.Old.Path, prefix) || !strings.HasPrefix(r.New.Path, "../") {
			lines = append(lines, fmt.Sprintf("%s/go.mod replaces %s by %s; only siblings are replaced, by their folders", module, r.Old.Path, r.New.Path))
		}
	}
	return lines
}

// repositoryRoom reports whether a module exercises or documents the products and is published for nobody.
func repositoryRoom(module string) bool {
	return within(module, "tests") || within(module, "docs")
}

// moduleOf returns the module a package path below the prefix belongs to; modules other than docs/examples are one folder deep.
func moduleOf(rel string) string {
	if within(rel, "docs/examples") {
		return "docs/examples"
	}
	m, _, _ := strings.Cut(rel, "/")
	return m
}

// within reports whether path is base or lies below it.
func within(path, base string) bool {
	rest, ok := strings.CutPrefix(path, base)
	return ok && (rest == "" || rest[0] == '/')
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "nothing else"
	}
	return strings.Join(list, ", ")
}
