package okio

import (
	"slices"
	"strings"
)

// maxImpliedDirectories bounds the directories that an archive has without saying so: a name of 64 KiB can imply 32 Ki of them.
const maxImpliedDirectories = 1 << 18

// A zipNode is a file or a directory of an archive.
type zipNode struct {
	entry    *zipEntry           // nil if the directory is only implied
	children map[string]*zipNode // nil for a file
}

func newZipDirectoryNode(e *zipEntry) *zipNode {
	return &zipNode{entry: e, children: make(map[string]*zipNode)}
}

func (n *zipNode) directory() bool { return n.children != nil }

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
		next := at.children[s]
		switch {
		case next == nil:
			if t.implied++; t.implied > maxImpliedDirectories {
				return unsupportedZip("more than %d directories without an entry", maxImpliedDirectories)
			}
			next = newZipDirectoryNode(nil)
			at.children[s] = next
		case next.directory():
		case next.entry.size == 0: // a directory by somebody who did not know about the slash
			next.children = make(map[string]*zipNode)
		default:
			return badZip("%q, a file of %d bytes, is also used as a directory", shortName(next.entry.name), next.entry.size)
		}
		at = next
	}
	last := segments[len(segments)-1]
	old := at.children[last]
	switch {
	case old != nil && len(old.children) > 0:
		if !directory && e.size > 0 {
			return badZip("a file of %d bytes is also used as a directory", e.size)
		}
		old.entry = e
	case directory:
		at.children[last] = newZipDirectoryNode(e)
	default:
		at.children[last] = &zipNode{entry: e}
	}
	return nil
}

// find returns what is at the end of the segments, nil if that is nothing.
func (t *zipTree) find(segments []string) *zipNode {
	at := t.root
	for _, s := range segments {
		if at = at.children[s]; at == nil {
			return nil
		}
	}
	return at
}

// names returns the names in n in order.
func (n *zipNode) names() []string {
	names := make([]string, 0, len(n.children))
	for name := range n.children {
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
