package okio

import (
	"slices"
	"strings"
)

// maxImpliedDirectories bounds the directories that an archive has without saying so: a name of 64 KiB can imply 32 Ki of them.
const maxImpliedDirectories = 1 << 18

// A zipNode is a file or a directory of an archive. The first child of a directory has a place of its own, because names can imply so many directories
// of one child that a map in each would need hundreds of times the memory of the names.
type zipNode struct {
	entry     *zipEntry // nil if the directory is only implied
	first     *zipNode  // the first child, nil if there is none
	firstName string
	others    map[string]*zipNode // the other children
	directory bool
}

func newZipDirectoryNode(e *zipEntry) *zipNode { return &zipNode{entry: e, directory: true} }

// child returns the child called name, nil if there is none.
func (n *zipNode) child(name string) *zipNode {
	if n.first != nil && n.firstName == name {
		return n.first
	}
	return n.others[name]
}

// put makes child the child called name.
func (n *zipNode) put(name string, child *zipNode) {
	switch {
	case n.first == nil || n.firstName == name:
		n.first, n.firstName = child, name
	case n.others == nil:
		n.others = map[string]*zipNode{name: child}
	default:
		n.others[name] = child
	}
}

// A zipTree is built from the entries of an archive in their order; of two with the same path the later counts.
type zipTree struct {
	root    *zipNode
	implied int
}

// add puts e into its place and creates the directories above it.
func (t *zipTree) add(e *zipEntry) error {
	segments, directory, err := splitZipName(e.name)
	if err != nil {
		return err
	}
	if len(segments) == 0 {
		t.root.entry = e
		return nil
	}
	at := t.root
	for _, s := range segments[:len(segments)-1] {
		next := at.child(s)
		switch {
		case next == nil:
			if t.implied++; t.implied > maxImpliedDirectories {
				return unsupportedZip("more than %d directories without an entry", maxImpliedDirectories)
			}
			next = newZipDirectoryNode(nil)
			at.put(s, next)
		case next.directory:
		case next.entry.size == 0: // a directory by somebody who did not know about the slash
			next.directory = true
		default:
			return badZip("%q, a file of %d bytes, is also used as a directory", shortName(next.entry.name), next.entry.size)
		}
		at = next
	}
	last := segments[len(segments)-1]
	old := at.child(last)
	switch {
	case old != nil && old.first != nil:
		if !directory && e.size > 0 {
			return badZip("a file of %d bytes is also used as a directory", e.size)
		}
		old.entry = e
	case directory:
		at.put(last, newZipDirectoryNode(e))
	default:
		at.put(last, &zipNode{entry: e})
	}
	return nil
}

// find returns what is at the end of the segments, nil if that is nothing.
func (t *zipTree) find(segments []string) *zipNode {
	at := t.root
	for _, s := range segments {
		if at = at.child(s); at == nil {
			return nil
		}
	}
	return at
}

// names returns the names in n in order.
func (n *zipNode) names() []string {
	if n.first == nil {
		return nil
	}
	names := append(make([]string, 0, 1+len(n.others)), n.firstName)
	for name := range n.others {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// splitZipName takes the name of an entry apart. A backslash counts as a slash, since there are archives made on Windows that have it and since a
// [Path] could not have it in a name. Names that could lead out of the directory they are unpacked to are errors.
func splitZipName(name string) (segments []string, directory bool, err error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, false, badZip("filename contains 0x00")
	}
	if name == "" {
		return nil, false, badZip("filename is empty")
	}
	if strings.HasPrefix(name, `\\`) {
		return nil, false, badZip("filename leaves the archive: it names a server")
	}
	isSlash := func(r rune) bool { return r == '/' || r == '\\' }
	for s := range strings.FieldsFuncSeq(name, isSlash) {
		switch {
		case s == ".":
			continue
		case s == "..":
			return nil, false, badZip("filename leaves the archive: it contains ..")
		case len(segments) == 0 && startsWithVolume(s) && (len(s) == 2 || strings.Contains(name, `\`)):
			return nil, false, badZip("filename leaves the archive: it names a volume")
		}
		segments = append(segments, s)
	}
	directory = isSlash(rune(name[len(name)-1]))
	if len(segments) == 0 && !directory {
		return nil, false, badZip("a file has the name of the root")
	}
	return segments, directory, nil
}
