package okio

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// FakeDirectories says when the creation, the renaming and the deletion of files and directories are durable: that is, certain to outlast a
// [FakeFileSystem.Crash].
type FakeDirectories uint8

// When operations on directories are durable. In each case those that outlast a crash are the first ones, never a later without an earlier one, and
// each as a whole, as a journaling file system has it.
const (
	// DirectoriesJournaled makes them durable when any file is synced afterwards, as ext4, XFS and APFS do.
	DirectoriesJournaled FakeDirectories = iota

	// DirectoriesSynchronous makes them durable at once.
	DirectoriesSynchronous

	// DirectoriesDeferred makes them durable only by [FakeFileSystem.SyncDirectory] and [FakeFileSystem.SyncAll]. That is all that POSIX promises.
	DirectoriesDeferred
)

// CrashOptions chooses among what a crash may leave.
type CrashOptions struct {
	// Seed chooses at random, but the same for the same seed and history, what survives of the things that are not durable. With 0
	// none of them does.
	Seed uint64

	// Reorder lets the writes to one file survive in any combination, so that there can be zeros in front of what survived. Without it those that
	// survive are the first ones. It has no effect if Seed is 0.
	Reorder bool
}

// A fakeWrite is a change of a file's contents: bytes at an offset, or, without bytes, a new size.
type fakeWrite struct {
	at   int64
	data []byte
}

// apply returns contents after the change.
func (w fakeWrite) apply(contents []byte) []byte {
	end := int(w.at) + len(w.data)
	if w.data == nil && end < len(contents) {
		return contents[:end]
	}
	if old := len(contents); end > old {
		contents = slices.Grow(contents, end-old)[:end]
		clear(contents[old:])
	}
	copy(contents[w.at:], w.data)
	return contents
}

// A fakeEntry is a change of a directory: name means node, or nothing if that is nil.
type fakeEntry struct {
	directory *fakeNode
	name      string
	node      *fakeNode
}

func (e fakeEntry) apply(children map[string]*fakeNode) {
	if e.node == nil {
		delete(children, e.name)
		return
	}
	children[e.name] = e.node
}

// The most that is kept in memory before the oldest of it becomes durable by itself, as a kernel writes back.
const (
	maxFakePending      = 1 << 16 // changes of a file
	maxFakePendingBytes = 64 << 20
	maxFakeJournal      = 1 << 16 // changes of directories
)

// write changes the contents of n.
func (n *fakeNode) write(w fakeWrite) {
	n.data = w.apply(n.data)
	n.pending = append(n.pending, w)
	n.pendingBytes += len(w.data)
	for len(n.pending) > maxFakePending || n.pendingBytes > maxFakePendingBytes {
		n.commit((len(n.pending) + 1) / 2)
	}
}

// commit makes the first changes of n durable.
func (n *fakeNode) commit(changes int) {
	for _, w := range n.pending[:changes] {
		n.durableData = w.apply(n.durableData)
		n.pendingBytes -= len(w.data)
	}
	n.pending = slices.Delete(n.pending, 0, changes)
}

// change changes directories in one step.
func (f *FakeFileSystem) change(entries ...fakeEntry) {
	now := f.now()
	for _, e := range entries {
		e.apply(e.directory.children)
		e.directory.wrote(now)
	}
	f.journal = append(f.journal, entries)
	switch {
	case f.Directories == DirectoriesSynchronous:
		f.commit(len(f.journal))
	case len(f.journal) > maxFakeJournal:
		f.commit(len(f.journal) / 2)
	}
}

// commit makes the first changes of directories durable.
func (f *FakeFileSystem) commit(changes int) {
	for _, entries := range f.journal[:changes] {
		for _, e := range entries {
			e.apply(e.directory.durableChildren)
		}
	}
	f.journal = slices.Delete(f.journal, 0, changes)
}

// SyncAll makes everything durable that was done until now: the contents of all files and all operations on directories, as an orderly
// shutdown does.
func (f *FakeFileSystem) SyncAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commit(len(f.journal))
	for _, root := range f.roots {
		root.commitAll()
	}
}

func (n *fakeNode) commitAll() {
	n.commit(len(n.pending))
	for _, child := range n.children {
		child.commitAll()
	}
}

// Crash takes the power away. It returns what is found after the next start: a new file system that has what was durable, and as much of the rest as o
// says, and the settings of f but no fault. On f every operation fails with [ErrPowerLost] from then on, also those on its open
// files, of which only Close does not fail.
//
// This is what outlasts a crash for certain, and what may be lost:
//
//   - The contents of a file are durable as they were when a handle of it was synced last, with Sync. Flush of a sink that comes from Sink or
//     Appending does not do that. Of the writes and changes of size since then the first few survive, the last of them perhaps
//     in part; or, with CrashOptions.Reorder, any of them.
//   - When operations on directories are durable depends on the setting Directories. Those that are not are lost from the last one on. Moving
//     a file over another is one operation: either the old or the new file is there.
//   - Contents and directories are independent. A file that was created, written, not synced, and moved over another one can be found there,
//     empty.
//   - Times, extras and the targets of links come with the file.
//
// When more than 64 Ki operations on directories are not durable, the first half of them becomes durable, as an operating system writes back what
// was not asked for. When more than 64 Ki writes to a file or 64 MiB in them are not, the first half of the writes does, again and again until that is
// less; so a single write of more than 64 MiB is durable at once and whole.
func (f *FakeFileSystem) Crash(o CrashOptions) *FakeFileSystem {
	f.mu.Lock()
	defer f.mu.Unlock()
	after := f.afterCrash(o)
	f.crashed = true
	f.open = nil
	return after
}

// AfterCrash returns what [FakeFileSystem.Crash] would, and lets f go on. So one run of a test can look at what a crash at each of its moments,
// and with several seeds, leaves.
func (f *FakeFileSystem) AfterCrash(o CrashOptions) *FakeFileSystem {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.afterCrash(o)
}

func (f *FakeFileSystem) afterCrash(o CrashOptions) *FakeFileSystem {
	c := &fakeCrash{o: o, random: rand.New(rand.NewPCG(o.Seed, 0)), directories: make(map[*fakeNode]map[string]*fakeNode)}
	if o.Seed != 0 {
		for _, entries := range f.journal[:c.random.IntN(len(f.journal)+1)] {
			for _, e := range entries {
				e.apply(c.children(e.directory))
			}
		}
	}
	after := &FakeFileSystem{
		AllowMovingOpenFiles:            f.AllowMovingOpenFiles,
		AllowDeletingOpenFiles:          f.AllowDeletingOpenFiles,
		AllowClobberingEmptyDirectories: f.AllowClobberingEmptyDirectories,
		AllowWritesWhileWriting:         f.AllowWritesWhileWriting,
		AllowReadsWhileWriting:          f.AllowReadsWhileWriting,
		AllowSymlinks:                   f.AllowSymlinks,
		Clock:                           f.Clock,
		Directories:                     f.Directories,
		windowsNames:                    f.windowsNames,
		directory:                       f.directory,
		roots:                           make(map[Path]*fakeNode),
	}
	for _, path := range slices.SortedFunc(maps.Keys(f.roots), Path.Compare) {
		after.roots[path] = c.survivor(f.roots[path])
	}
	return after
}

// A fakeCrash builds what a crash leaves.
type fakeCrash struct {
	o           CrashOptions
	random      *rand.Rand
	directories map[*fakeNode]map[string]*fakeNode // those that have more than what is durable
}

// children returns what is in a directory after the crash, for changing it.
func (c *fakeCrash) children(n *fakeNode) map[string]*fakeNode {
	children := c.directories[n]
	if children == nil {
		children = maps.Clone(n.durableChildren)
		c.directories[n] = children
	}
	return children
}

// survivor returns a copy of n as it is after the crash.
func (c *fakeCrash) survivor(n *fakeNode) *fakeNode {
	s := &fakeNode{mode: n.mode, created: n.created, modified: n.modified, accessed: n.accessed, extras: maps.Clone(n.extras), target: n.target}
	switch {
	case n.isFile():
		s.data = c.contents(n)
		s.durableData = slices.Clone(s.data)
	case n.isDirectory():
		children, ok := c.directories[n]
		if !ok {
			children = n.durableChildren
		}
		s.children = make(map[string]*fakeNode, len(children))
		for _, name := range slices.Sorted(maps.Keys(children)) { // in order, for the same seed to mean the same
			s.children[name] = c.survivor(children[name])
		}
		s.durableChildren = maps.Clone(s.children)
	}
	return s
}

// contents returns what is in a file after the crash.
func (c *fakeCrash) contents(n *fakeNode) []byte {
	contents := slices.Clone(n.durableData)
	if c.o.Seed == 0 {
		return contents
	}
	if c.o.Reorder {
		for _, w := range n.pending {
			switch c.random.IntN(3) {
			case 0:
				contents = w.apply(contents)
			case 1:
				contents = c.tear(w, contents)
			}
		}
		return contents
	}
	whole := c.random.IntN(len(n.pending) + 1)
	for _, w := range n.pending[:whole] {
		contents = w.apply(contents)
	}
	if whole < len(n.pending) {
		contents = c.tear(n.pending[whole], contents)
	}
	return contents
}

// tear applies a part of a write, or nothing. A change of size has no parts.
func (c *fakeCrash) tear(w fakeWrite, contents []byte) []byte {
	if w.data == nil {
		return contents
	}
	part := c.random.IntN(len(w.data))
	if part == 0 {
		return contents
	}
	return fakeWrite{at: w.at, data: w.data[:part]}.apply(contents)
}
