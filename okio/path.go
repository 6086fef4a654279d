package okio

import (
	"os"
	"slices"
	"strings"
)

// A Path names a file, a directory or a link in a [FileSystem]. It is pure syntax, whether or not such a file exists: every host understands
// Unix paths such as /home/jesse and Windows paths such as C:\Users\jesse or \\server\share, and the first slash of a path decides between
// / and \ for all of it. The prefixes \\?\ and \\.\ of Windows begin roots of their own, whose paths are taken apart and cleaned as all are, though
// Windows itself would take the parts .. behind \\?\ for names.
//
// A Path is a comparable value. Equality and order are those of the bytes of its text, so a/b and a\b differ, as do a and A. The zero Path is
// ".", the working directory. Paths are made by [ParsePath] and keep the parts .. unless they are cleaned, because a symbolic link in front of
// .. changes where it leads.
type Path struct {
	s string // the text; empty for "."
}

// hostSlash joins what has no slash of its own.
const hostSlash = os.PathSeparator

// ParsePath returns the path that s says. Repeated and trailing slashes, parts that are "." and parts ".." that would climb above a root
// vanish, and the slashes become all alike. Every string is a path; an empty one is ".".
func ParsePath(s string) Path { return parsePath(s, false) }

// ParsePathClean parses s as [ParsePath] does and cleans the result as [Path.Clean] does.
func ParsePathClean(s string) Path { return parsePath(s, true) }

func parsePath(s string, clean bool) Path {
	var prefix string
	var slash byte
	rest := strings.TrimLeft(s, `/\`)
	switch leading := len(s) - len(rest); {
	case leading >= 2 && s[0] == '\\':
		prefix, slash = `\\`, '\\'
	case leading >= 1:
		prefix, slash = s[:1], s[0]
	default:
		first := strings.IndexAny(s, `/\`)
		if first >= 0 {
			slash = s[first]
		}
		// A volume makes a Windows path even of a text without slashes, whatever the host.
		if startsWithVolume(s) && slash != '/' {
			slash = '\\'
			prefix = s[:2]
			if first == 2 {
				prefix += `\`
			}
			rest = s[2:]
		}
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == '\\' })
	return makePath(prefix, parts, slash, clean)
}

// makePath puts a path together. The prefix is empty, a slash, X:\, X:, \\ or one of those that deviceRoot makes. A slash of 0 stands for that of
// the host.
func makePath(prefix string, parts []string, slash byte, clean bool) Path {
	if slash == 0 {
		slash = hostSlash
	}
	prefix, parts = deviceRoot(prefix, parts)
	kept := make([]string, 0, len(parts))
	for _, part := range parts {
		switch {
		case part == "" || part == ".":
		case part != "..":
			kept = append(kept, part)
		case prefix != "" && (len(kept) == 0 || len(kept) < rootParts(prefix, kept)): // nothing is above a root
		case !clean, prefix == "" && (len(kept) == 0 || kept[len(kept)-1] == ".."):
			kept = append(kept, part)
		case len(kept) == rootParts(prefix, kept): // the server stays
		default:
			kept = kept[:len(kept)-1]
		}
	}
	text := strings.Join(kept, string(rune(slash)))
	if prefix == "" && len(kept) > 0 && needsGuard(kept[0], slash, len(kept) == 1) {
		text = "." + string(rune(slash)) + text
	}
	return Path{prefix + text}
}

// needsGuard reports whether a relative path that starts with this part would be read as something else, so that it has to start with "./": .\C:\x is
// not C:\x, and a Unix file may have a backslash in its name.
func needsGuard(first string, slash byte, only bool) bool {
	if slash == '/' {
		return strings.Contains(first, `\`) || only && startsWithVolume(first)
	}
	return startsWithVolume(first)
}

// startsWithVolume reports whether s starts with a letter and a colon.
func startsWithVolume(s string) bool {
	return len(s) >= 2 && s[1] == ':' && ('a' <= s[0] && s[0] <= 'z' || 'A' <= s[0] && s[0] <= 'Z')
}

// split takes a path apart again. The slash is 0 if there is none to tell. Parts are split at the path's own slash only, as a Unix name that a
// file system listed may hold a backslash.
func (p Path) split() (prefix string, parts []string, slash byte) {
	s := p.s
	slash = p.slash()
	switch {
	case s == "":
		return "", nil, 0
	case strings.HasPrefix(s, `\\`):
		prefix = splitServer(s)
	case s[0] == '/' || s[0] == '\\':
		prefix = s[:1]
	case p.hasVolume():
		prefix = s[:2]
		if len(s) > 2 && s[2] == '\\' {
			prefix = s[:3]
		}
	case slash != 0 && s[0] == '.' && s[1] == slash: // the guard
		s = s[2:]
	}
	if s = s[len(prefix):]; s == "" {
		return prefix, nil, slash
	}
	if slash == 0 {
		return prefix, []string{s}, slash
	}
	return prefix, strings.Split(s, string(rune(slash))), slash
}

// slash returns the first slash, a backslash for a volume without one, and 0 for neither.
func (p Path) slash() byte {
	if i := strings.IndexAny(p.s, `/\`); i >= 0 {
		return p.s[i]
	}
	if startsWithVolume(p.s) {
		return '\\'
	}
	return 0
}

func (p Path) hasVolume() bool { return startsWithVolume(p.s) && !strings.Contains(p.s, "/") }

// String returns the text of the path, "." for the zero Path. [ParsePath] makes the same path of it, unless a file system of a Unix host returned the
// path and a name in it holds a backslash.
func (p Path) String() string {
	if p.s == "" {
		return "."
	}
	return p.s
}

// Compare orders paths by the bytes of their text: it is negative if p comes before o, zero if they are equal, positive otherwise.
func (p Path) Compare(o Path) int { return strings.Compare(p.String(), o.String()) }

// IsAbs reports whether the path starts at a root. C:file, which is relative to the working directory of a volume, does not.
func (p Path) IsAbs() bool {
	s := p.s
	return s != "" && (s[0] == '/' || s[0] == '\\') || p.hasVolume() && len(s) > 2 && s[2] == '\\'
}

// Root returns the root of an absolute path: /, \, C:\, \\server, \\?\C:\, \\?\UNC\server\share or \\.\device. A relative path has none.
func (p Path) Root() (Path, bool) {
	if !p.IsAbs() {
		return Path{}, false
	}
	prefix, parts, _ := p.split()
	root, _ := splitRoot(prefix, parts)
	return Path{prefix + strings.Join(root, `\`)}, true
}

// Volume returns the letter of the volume that a path such as C:\file or C:file starts with.
func (p Path) Volume() (byte, bool) {
	if !p.hasVolume() {
		return 0, false
	}
	return p.s[0], true
}

// Segments returns the names after the root; a root has none. The volume of a path such as C:file belongs to the first segment. The segment of "."
// is ".".
func (p Path) Segments() []string {
	prefix, parts, _ := p.split()
	switch {
	case p.s == "":
		return []string{"."}
	case len(prefix) == 2 && prefix[1] == ':':
		if len(parts) == 0 {
			return []string{prefix}
		}
		parts[0] = prefix + parts[0]
	}
	_, rest := splitRoot(prefix, parts)
	return rest
}

// Name returns what follows the last slash: the name of the file in its directory. It is "." and ".." for these, empty for a root and for a volume
// alone, and the server for \\server.
func (p Path) Name() string {
	if p.s == "" {
		return "."
	}
	if slash := p.slash(); slash != 0 {
		if i := strings.LastIndexByte(p.s, slash); i >= 0 {
			return p.s[i+1:]
		}
	}
	if len(p.s) == 2 && p.hasVolume() {
		return ""
	}
	return p.s
}

// Parent returns the path without its last segment: / for /a and "." for a. There is none for ".", for a root, for a volume alone and for a path that
// ends in "..", whose parent its text does not tell.
func (p Path) Parent() (Path, bool) {
	prefix, parts, slash := p.split()
	if _, rest := splitRoot(prefix, parts); len(rest) == 0 || rest[len(rest)-1] == ".." {
		return Path{}, false
	}
	return makePath(prefix, parts[:len(parts)-1], slash, false), true
}

// Join parses child and resolves it against p as [Path.Resolve] does. Since a child such as c:file names a volume, a name that comes from
// elsewhere is joined as "./" + name; and one that is absolute or has ".." leads out of p.
func (p Path) Join(child string) Path {
	if len(p.s) > 1 && p.s[0] == '/' && isPlainName(child) {
		return Path{p.s + "/" + child} // as Resolve has it
	}
	return p.Resolve(ParsePath(child))
}

// isPlainName reports whether s is a name that nothing is to be done to.
func isPlainName(s string) bool {
	return s != "" && s[0] != '.' && !strings.ContainsAny(s, `/\:`)
}

// Resolve returns child as seen from the directory p. A child that is absolute or names a volume is returned as it is. The slashes
// become those of p, or else of the child, or else of the host.
func (p Path) Resolve(child Path) Path {
	if child.IsAbs() || child.hasVolume() {
		return child
	}
	prefix, parts, slash := p.split()
	_, more, childSlash := child.split()
	if slash == 0 {
		slash = childSlash
	}
	return makePath(prefix, slices.Concat(parts, more), slash, false)
}

// Clean removes the parts ".." along with the part in front of each, as far as there is one. If that part is a symbolic link, the
// cleaned path leads elsewhere.
func (p Path) Clean() Path {
	prefix, parts, slash := p.split()
	return makePath(prefix, parts, slash, true)
}

// RelativeTo returns the path that leads from the directory base to p: base.Resolve of it is p, after cleaning both. Neither path is
// cleaned first. It fails with a [*RelativePathError] if the roots or volumes differ, or if base has parts ".." behind what both have in
// common, because only the file system knows the way down again.
func (p Path) RelativeTo(base Path) (Path, error) {
	prefix, parts, slash := p.split()
	basePrefix, baseParts, baseSlash := base.split()
	if base.s == "" && !p.IsAbs() {
		return p, nil
	}
	root, _ := splitRoot(prefix, parts)
	baseRoot, _ := splitRoot(basePrefix, baseParts)
	if prefix != basePrefix || !slices.Equal(root, baseRoot) {
		return Path{}, &RelativePathError{p, base, "paths of different roots cannot be relative to each other"}
	}
	common := 0
	for common < min(len(parts), len(baseParts)) && parts[common] == baseParts[common] {
		common++
	}
	up := baseParts[common:]
	if slices.Contains(up, "..") {
		return Path{}, &RelativePathError{p, base, "impossible relative path to resolve"}
	}
	if baseSlash != 0 {
		slash = baseSlash
	}
	way := slices.Concat(slices.Repeat([]string{".."}, len(up)), parts[common:])
	return makePath("", way, slash, false), nil
}

// A RelativePathError reports that [Path.RelativeTo] found no relative path.
type RelativePathError struct {
	Path, Base Path
	Problem    string
}

// Error names the problem and both paths.
func (e *RelativePathError) Error() string {
	return "okio: " + e.Problem + ": " + e.Path.String() + " and " + e.Base.String()
}

// hostPath is the path that the system of this host calls name. On Unix only / is a slash.
func hostPath(name string) Path {
	if hostSlash == '\\' {
		return ParsePath(name)
	}
	return unixPath(name)
}

func unixPath(name string) Path {
	prefix := ""
	if strings.HasPrefix(name, "/") {
		prefix = "/"
	}
	return makePath(prefix, strings.Split(name, "/"), '/', false)
}

// child is the path of the file called name, whatever characters that holds, in the directory p. A backslash in the name, which only Unix has, stays
// part of it: the path gets the other slash.
func (p Path) child(name string) Path {
	prefix, parts, slash := p.split()
	if strings.Contains(name, `\`) {
		slash = '/'
		if prefix == `\` {
			prefix = "/"
		}
	}
	return makePath(prefix, append(parts, name), slash, false)
}
