package build

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// referenceDir is where the pages of the API reference go, below docs. They are made for each build of the site and not kept.
const referenceDir = "reference"

// Reference writes a page for each package that users import, out of its documentation, and one that lists them.
func (w *Workspace) Reference() error {
	dir := filepath.Join(w.dir("docs"), referenceDir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var list []*page
	for _, m := range w.Modules {
		if !m.Product() {
			continue
		}
		pages, err := w.pagesOf(m)
		if err != nil {
			return err
		}
		list = append(list, pages...)
	}
	slices.SortFunc(list, func(a, b *page) int { return strings.Compare(a.importPath, b.importPath) })
	known := map[string]*page{}
	for _, p := range list {
		known[p.importPath] = p
	}
	for _, p := range list {
		if err := os.WriteFile(filepath.Join(dir, p.file()+".md"), p.render(known), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "index.md"), contents(list), 0o644)
}

// page is the reference of one package.
type page struct {
	importPath string
	pkg        *doc.Package
	fset       *token.FileSet
}

// file is the name of the page, without its extension.
func (p *page) file() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.importPath, "github.com/okhttp-go/ok/"), "/", "-")
}

// pagesOf reads the packages of a module, apart from internal ones, commands, and those without an exported name.
func (w *Workspace) pagesOf(m Module) (list []*page, err error) {
	root := w.dir(m.Dir)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case name != root && (d.Name() == "internal" || d.Name() == "testdata" || d.Name() == "cmd" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		p, err := packageIn(name, path.Join(m.Path, filepath.ToSlash(below)))
		if p != nil {
			list = append(list, p)
		}
		return err
	})
	return list, err
}

// packageIn reads the package of a folder, nil if there is none to describe.
func packageIn(dir, importPath string) (*page, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(f.Name.Name, "_test") {
			files = append(files, f)
		}
	}
	if !slices.ContainsFunc(files, func(f *ast.File) bool { return !strings.HasSuffix(f.Name.Name, "_test") && f.Name.Name != "main" }) {
		return nil, nil
	}
	pkg, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		return nil, fmt.Errorf("reference of %s: %w", importPath, err)
	}
	if pkg.Doc == "" {
		return nil, errors.New("reference: package " + importPath + " has no documentation")
	}
	return &page{importPath, pkg, fset}, nil
}

// contents is the page that lists the others.
func contents(list []*page) []byte {
	var b bytes.Buffer
	b.WriteString("---\noutline: false\n---\n\n# Reference\n\nEach package with everything it exports, made of its documentation. The same is at the command line: `go doc PACKAGE NAME`.\n\n")
	b.WriteString("| import path | package | is |\n|---|---|---|\n")
	for _, p := range list {
		synopsis := strings.ReplaceAll(escape(p.pkg.Synopsis(p.pkg.Doc)), "|", "\\|")
		fmt.Fprintf(&b, "| [`%s`](./%s) | `%s` | %s |\n", strings.TrimPrefix(p.importPath, "github.com/okhttp-go/"), p.file(), p.pkg.Name, synopsis)
	}
	return b.Bytes()
}

// escape makes a text safe where Markdown is read as a template: tags and braces mean something there.
var escape = strings.NewReplacer("<", "&lt;", "{{", "&#123;&#123;").Replace

func (p *page) render(known map[string]*page) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n```go\nimport %q\n```\n\n", p.pkg.Name, p.importPath)
	p.text(&b, p.pkg.Doc, known)
	p.examples(&b, p.pkg.Examples)
	p.values(&b, "Constants", p.pkg.Consts, known)
	p.values(&b, "Variables", p.pkg.Vars, known)
	if len(p.pkg.Funcs) > 0 {
		b.WriteString("## Functions\n\n")
		p.funcs(&b, p.pkg.Funcs, "", known)
	}
	for _, t := range p.pkg.Types {
		fmt.Fprintf(&b, "## %s {#%s}\n\n", t.Name, t.Name)
		p.code(&b, t.Decl)
		p.text(&b, t.Doc, known)
		p.examples(&b, t.Examples)
		p.values(&b, "", t.Consts, known)
		p.values(&b, "", t.Vars, known)
		p.funcs(&b, t.Funcs, "", known)
		p.funcs(&b, t.Methods, t.Name+".", known)
	}
	return b.Bytes()
}

func (p *page) values(b *bytes.Buffer, title string, list []*doc.Value, known map[string]*page) {
	if len(list) == 0 {
		return
	}
	if title != "" {
		fmt.Fprintf(b, "## %s\n\n", title)
	}
	for _, v := range list {
		for _, name := range v.Names {
			fmt.Fprintf(b, "<a id=%q></a>", name)
		}
		b.WriteString("\n\n")
		p.code(b, v.Decl)
		p.text(b, v.Doc, known)
	}
}

func (p *page) funcs(b *bytes.Buffer, list []*doc.Func, owner string, known map[string]*page) {
	for _, f := range list {
		fmt.Fprintf(b, "### %s%s {#%s%s}\n\n", owner, f.Name, owner, f.Name)
		f.Decl.Body = nil
		p.code(b, f.Decl)
		p.text(b, f.Doc, known)
		p.examples(b, f.Examples)
	}
}

// code writes a declaration, without its comment, which is the text below it.
func (p *page) code(b *bytes.Buffer, decl ast.Node) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		d.Doc = nil
	case *ast.GenDecl:
		d.Doc = nil
	}
	b.WriteString("```go\n")
	_ = format.Node(b, p.fset, decl)
	b.WriteString("\n```\n\n")
}

func (p *page) examples(b *bytes.Buffer, list []*doc.Example) {
	for _, e := range list {
		title := "Example"
		if e.Suffix != "" {
			title += ": " + strings.ReplaceAll(e.Suffix, "_", " ")
		}
		fmt.Fprintf(b, "::: details %s\n", title)
		if e.Doc != "" {
			b.WriteString(escape(e.Doc) + "\n")
		}
		var node any = e.Code
		if e.Play != nil {
			node = e.Play
		}
		var code bytes.Buffer
		_ = format.Node(&code, p.fset, node)
		text := code.String()
		if e.Play == nil { // the body of a function
			text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
			text = strings.Trim(strings.ReplaceAll(text, "\n\t", "\n"), "\n")
		}
		b.WriteString("```go\n" + strings.TrimRight(text, "\n") + "\n```\n")
		if e.Output != "" {
			b.WriteString("```\n" + strings.TrimRight(e.Output, "\n") + "\n```\n")
		}
		b.WriteString(":::\n\n")
	}
}

// text writes a comment as Markdown, with links to what it names in brackets.
func (p *page) text(b *bytes.Buffer, text string, known map[string]*page) {
	printer := p.pkg.Printer()
	printer.HeadingLevel = 3
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(l *comment.DocLink) string {
		name := l.Name
		if l.Recv != "" {
			name = l.Recv + "." + l.Name
		}
		switch target := known[l.ImportPath]; {
		case l.ImportPath == "" || l.ImportPath == p.importPath:
			return "#" + name
		case target != nil && name == "":
			return "./" + target.file()
		case target != nil:
			return "./" + target.file() + "#" + name
		}
		return l.DefaultURL("https://pkg.go.dev")
	}
	md := string(printer.Markdown(p.pkg.Parser().Parse(text)))
	fenced := false
	for line := range strings.Lines(md) {
		// Code is indented in what the printer writes. A fence keeps it from being read as a template.
		code := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		if code != fenced && strings.TrimSpace(line) != "" {
			b.WriteString("```\n")
			if !code {
				b.WriteByte('\n')
			}
			fenced = code
		}
		if code {
			line = strings.TrimPrefix(strings.TrimPrefix(line, "\t"), "    ")
		} else {
			line = escape(line)
		}
		b.WriteString(line)
	}
	if fenced {
		b.WriteString("```\n")
	}
	b.WriteByte('\n')
}
