package okio

import (
	"io/fs"
	"maps"
	"time"
)

// A fakeNode is a file, a directory or a symbolic link of a [FakeFileSystem]. Names belong to the directories, so that an open file stays what it
// is when it is moved or deleted.
type fakeNode struct {
	mode                        fs.FileMode // the type bits only
	created, modified, accessed time.Time
	extras                      map[any]any

	target   Path                 // of a link
	data     []byte               // of a file
	children map[string]*fakeNode // of a directory

	// What a crash leaves for certain, and what may be there in addition: see [FakeFileSystem.Crash].
	durableData     []byte
	pending         []fakeWrite // since the file was synced last
	pendingBytes    int         // in those
	durableChildren map[string]*fakeNode
}

func (n *fakeNode) isFile() bool      { return n != nil && n.mode == 0 }
func (n *fakeNode) isDirectory() bool { return n != nil && n.mode == fs.ModeDir }
func (n *fakeNode) isLink() bool      { return n != nil && n.mode == fs.ModeSymlink }

func newFakeNode(mode fs.FileMode, now time.Time) *fakeNode {
	n := &fakeNode{mode: mode, created: now, modified: now, accessed: now}
	if mode == fs.ModeDir {
		n.children, n.durableChildren = make(map[string]*fakeNode), make(map[string]*fakeNode)
	}
	return n
}

// wrote says that n has new contents or new children.
func (n *fakeNode) wrote(now time.Time) { n.modified, n.accessed = now, now }

func (n *fakeNode) metadata() Metadata {
	m := Metadata{
		Regular:   n.isFile(),
		Directory: n.isDirectory(),
		Size:      -1,
		Created:   n.created,
		Modified:  n.modified,
		Accessed:  n.accessed,
		Extras:    maps.Clone(n.extras),
	}
	switch {
	case n.isFile():
		m.Size = int64(len(n.data))
	case n.isLink():
		target := n.target
		m.SymlinkTarget = &target
	}
	return m
}

// holds reports whether want is n or beneath it.
func (n *fakeNode) holds(want *fakeNode) bool {
	if n == want {
		return true
	}
	for _, child := range n.children {
		if child.holds(want) {
			return true
		}
	}
	return false
}

// A fakeSpot is where the walk along a path ended.
type fakeSpot struct {
	path   Path      // absolute, without links except for the last segment if that was not followed
	parent *fakeNode // nil if path is a root, or if its directory does not exist
	name   string    // in parent
	node   *fakeNode // nil if there is nothing
	root   bool
}

// maxFakeHops is how many symbolic links one path may lead through.
const maxFakeHops = 40

// absolute returns p as seen from the working directory, normalised.
func (f *FakeFileSystem) absolute(p Path) Path {
	p = f.workingDirectory().Resolve(p).Clean()
	if letter, ok := p.Volume(); ok && !p.IsAbs() {
		// Only one directory is current, and it is on another volume: that of this one is its root.
		p = ParsePathClean(string(letter) + `:\` + p.String()[2:])
	}
	return p
}

// rootNode returns the root at the front of the absolute path p, which comes into being when somebody asks for it.
func (f *FakeFileSystem) rootNode(p Path) *fakeNode {
	n := f.roots[p]
	if n == nil {
		n = newFakeNode(fs.ModeDir, f.now())
		if f.roots == nil {
			f.roots = make(map[Path]*fakeNode)
		}
		f.roots[p] = n
	}
	return n
}

// walk goes along p, through the links among its directories, and through one at its end if follow. That there is nothing is not an error.
func (f *FakeFileSystem) walk(p Path, follow bool) (fakeSpot, error) {
	p = f.absolute(p)
	for range maxFakeHops + 1 {
		if err := f.checkNames(p); err != nil {
			return fakeSpot{}, err
		}
		spot, next, err := f.walkToLink(p, follow)
		if err != nil || next == nil {
			return spot, err
		}
		p = *next
	}
	return fakeSpot{}, &fakeProblem{text: "symlink cycle?"}
}

// walkToLink goes along p until its end, or until a link that is to be followed, which makes next the path to go along instead.
func (f *FakeFileSystem) walkToLink(p Path, follow bool) (spot fakeSpot, next *Path, err error) {
	root, ok := p.Root()
	if !ok {
		return fakeSpot{}, nil, &fakeProblem{text: "expected an absolute path but was " + p.String()}
	}
	spot = fakeSpot{path: root, node: f.rootNode(root), root: true}
	segments := p.Segments()
	for i, name := range segments {
		directory := spot.node
		switch {
		case directory == nil:
			return fakeSpot{path: p}, nil, nil
		case !directory.isDirectory():
			return fakeSpot{}, nil, &fakeProblem{text: "not a directory: " + spot.path.String()}
		}
		child := directory.children[name]
		if child.isLink() && (follow || i < len(segments)-1) {
			child.accessed = f.now()
			to := f.absolute(spot.path.Resolve(child.target))
			for _, rest := range segments[i+1:] {
				to = to.child(rest)
			}
			return fakeSpot{}, &to, nil
		}
		spot = fakeSpot{path: spot.path.child(name), parent: directory, name: name, node: child}
	}
	return spot, nil, nil
}
