package api

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// listing returns the exported surface of every importable package below the module path, a line an item, in a fixed order.
func listing(root, module string) (string, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes,
		Dir:  root,
		Env:  append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"), // the same listing on every machine
	}, module+"/...")
	if err != nil {
		return "", err
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	var out strings.Builder
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return "", fmt.Errorf("api: load %s: %w", p.PkgPath, errors.Join(asErrors(p.Errors)...))
		}
		if p.Name == "main" || strings.Contains(p.PkgPath+"/", "/internal/") {
			continue
		}
		fmt.Fprintf(&out, "package %s // %s\n", p.Name, p.PkgPath)
		for _, line := range exported(p.Types) {
			out.WriteString(line + "\n")
		}
		out.WriteString("\n")
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func asErrors(list []packages.Error) (errs []error) {
	for _, e := range list {
		errs = append(errs, e)
	}
	return errs
}

// exported lists the package's exported names in alphabetical order; a type is followed by its fields in order and its methods by name.
func exported(p *types.Package) (lines []string) {
	qualify := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
	for _, name := range p.Scope().Names() { // sorted
		if !token.IsExported(name) {
			continue
		}
		switch obj := p.Scope().Lookup(name).(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprintf("const %s %s = %s", name, types.TypeString(obj.Type(), qualify), obj.Val().ExactString()))
		case *types.Var:
			lines = append(lines, fmt.Sprintf("var %s %s", name, types.TypeString(obj.Type(), qualify)))
		case *types.Func:
			lines = append(lines, unnamed(types.ObjectString(obj, qualify)))
		case *types.TypeName:
			lines = append(lines, typeLines(obj, qualify)...)
		}
	}
	return lines
}

func typeLines(obj *types.TypeName, qualify types.Qualifier) []string {
	if obj.IsAlias() {
		return []string{fmt.Sprintf("type %s = %s", obj.Name(), types.TypeString(types.Unalias(obj.Type()), qualify))}
	}
	head := "type " + types.TypeString(obj.Type(), qualify) + " "
	var lines []string
	switch u := obj.Type().Underlying().(type) {
	case *types.Struct:
		lines = append(lines, head+"struct")
		hidden := false
		for f := range u.Fields() {
			switch {
			case !f.Exported():
				hidden = true
			case f.Embedded():
				lines = append(lines, "\t"+types.TypeString(f.Type(), qualify))
			default:
				lines = append(lines, "\t"+f.Name()+" "+types.TypeString(f.Type(), qualify))
			}
		}
		if hidden {
			lines[0] += " // with unexported fields"
		}
	case *types.Interface:
		lines = append(lines, head+"interface")
		for e := range u.EmbeddedTypes() {
			lines = append(lines, "\t"+types.TypeString(e, qualify))
		}
		for m := range u.ExplicitMethods() {
			if m.Exported() {
				lines = append(lines, "\t"+m.Name()+signature(m, qualify))
			} else {
				lines[0] = head + "interface // sealed"
			}
		}
		return lines
	default:
		lines = append(lines, head+types.TypeString(u, qualify))
	}
	return append(lines, methodLines(obj, qualify)...)
}

// methodLines lists the methods of the pointer type, promoted ones too, since a user cannot tell the two apart.
func methodLines(obj *types.TypeName, qualify types.Qualifier) (lines []string) {
	set := types.NewMethodSet(types.NewPointer(obj.Type()))
	values := types.NewMethodSet(obj.Type())
	for sel := range set.Methods() {
		m := sel.Obj().(*types.Func)
		if !m.Exported() {
			continue
		}
		star := "*"
		if values.Lookup(m.Pkg(), m.Name()) != nil {
			star = ""
		}
		lines = append(lines, fmt.Sprintf("func (%s%s) %s%s", star, obj.Name(), m.Name(), signature(m, qualify)))
	}
	return lines
}

func signature(m *types.Func, qualify types.Qualifier) string {
	return unnamed(strings.TrimPrefix(types.TypeString(m.Type(), qualify), "func"))
}

// compilerNames are those that the compiler gives to results of a function which returns from within a loop over a function.
var compilerNames = regexp.MustCompile(`#rv\d+ `)

// unnamed removes them from a signature: users do not see them.
func unnamed(sig string) string {
	if i := strings.Index(sig, "(#rv"); i >= 0 && strings.Count(sig, "#rv") == 1 {
		sig = sig[:i] + strings.TrimSuffix(sig[i+1:], ")")
	}
	return compilerNames.ReplaceAllString(sig, "")
}
