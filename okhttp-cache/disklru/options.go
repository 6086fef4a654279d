package disklru

import (
	"log/slog"

	"github.com/okhttp-go/ok/okio"
)

// Options say what a store is like. FileSystem, Sync and Logger may be left out.
type Options struct {
	// FileSystem is where the directory is. Nil stands for [okio.OS].
	FileSystem okio.FileSystem

	// AppVersion is written into the journal. A directory that was written with another is emptied when it is opened.
	AppVersion int

	// ValueCount is the number of values of each entry, at least 1. A directory that was written with another is emptied when it is opened.
	ValueCount int

	// MaxSize is how many bytes the values of all entries may have together, at least 1. See [Store.SetMaxSize].
	MaxSize int64

	// Sync makes an edit outlast a loss of power as soon as Commit has returned, and makes sure that no such loss mixes the values of two edits. It costs
	// several forced writes to the disk for each edit, on the goroutine of the editor. Without it a loss of power can cost what was written last; the
	// package comment says what.
	Sync bool

	// Memory is how many bytes of values may be in memory as well, of those that have at most 4 KiB each. Of these, [Store.Get] only makes sure that the file is
	// there and has the time and the length that it had, instead of opening it. 0 means none.
	Memory int64

	// Logger is told when a directory is corrupt and emptied. Nil stands for [slog.Default].
	Logger *slog.Logger
}

func (o Options) check() error {
	switch {
	case o.ValueCount <= 0:
		return &ArgumentError{"valueCount <= 0"}
	case o.MaxSize <= 0:
		return &ArgumentError{"maxSize <= 0"}
	}
	return nil
}

// New returns the store in a directory, which is created if it is absent, and which the store may delete anything in. It does no I/O: the first
// operation opens the directory, and if that fails, the next one tries again. It fails with an [*ArgumentError] only.
func New(dir okio.Path, o Options) (*Store, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.FileSystem == nil {
		o.FileSystem = okio.OS()
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Store{
		fs:           o.FileSystem,
		dir:          dir,
		appVersion:   o.AppVersion,
		valueCount:   o.ValueCount,
		durable:      o.Sync,
		memory:       max(0, o.Memory),
		logger:       o.Logger,
		maxSize:      o.MaxSize,
		journalPath:  dir.Join("journal"),
		tmpPath:      dir.Join("journal.tmp"),
		bkpPath:      dir.Join("journal.bkp"),
		schedule:     func(job func()) { go job() },
		nextSequence: 1,
	}
	s.reset()
	return s, nil
}

// Open returns the store in a directory as [New] does, and opens it: [Store.Initialize].
func Open(dir okio.Path, o Options) (*Store, error) {
	s, err := New(dir, o)
	if err != nil {
		return nil, err
	}
	if err := s.Initialize(); err != nil {
		return nil, err
	}
	return s, nil
}
