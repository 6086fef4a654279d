package oksse

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// IDStore keeps the last event ID of a [Stream] over restarts. It is called on the goroutine of the loop. An error of either method ends the stream with a
// [*StoreError].
type IDStore interface {
	// Load returns what was saved last, and whether anything was: "" is an ID that the server took back. It is called when the first loop over a stream starts.
	Load() (id string, saved bool, err error)
	// Save keeps an ID that differs from the one before. It is called when the body of the loop asks for the event after the one that it belongs to, so
	// that an event whose handling was cut off comes again; and at the end of a connection.
	Save(id string) error
}

// load asks the store where to go on from.
func (r *run) load() error {
	s := r.cfg.Store
	if s == nil || r.loaded {
		return nil
	}
	id, saved, err := s.Load()
	if err != nil {
		return &StoreError{"load", err}
	}
	if saved && resumable(id) {
		r.setLast(id)
	}
	r.loaded, r.saved = true, r.LastEventID()
	r.named = r.saved != ""
	return nil
}

func (r *run) save(id string) error {
	if r.cfg.Store == nil || id == r.saved || !resumable(id) {
		return nil
	}
	if err := r.cfg.Store.Save(id); err != nil {
		return &StoreError{"save", err}
	}
	r.saved = id
	return nil
}

// IDFuncs makes an [IDStore] of functions, any of which may be nil.
type IDFuncs struct {
	LoadID func() (id string, saved bool, err error)
	SaveID func(id string) error
}

// Load implements [IDStore].
func (f IDFuncs) Load() (id string, saved bool, err error) {
	if f.LoadID == nil {
		return "", false, nil
	}
	return f.LoadID()
}

// Save implements [IDStore].
func (f IDFuncs) Save(id string) error {
	if f.SaveID == nil {
		return nil
	}
	return f.SaveID(id)
}

// FileStore is an [IDStore] in a file of its own, which holds the ID and a line feed. It saves by writing a file beside it, with the suffix .new,
// and moving that into place, so that a crash of the program leaves either the old ID or the new one. Nothing is forced to the disk; an empty
// file, which a loss of power can leave, counts as no ID.
func FileStore(fsys okio.FileSystem, path okio.Path) IDStore { return fileStore{fsys, path} }

type fileStore struct {
	fsys okio.FileSystem
	path okio.Path
}

const mostID = 1 << 20 // bytes of a file that can be that of an ID

func (f fileStore) Load() (id string, saved bool, err error) {
	src, err := f.fsys.Source(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	in := okio.NewBufferedSource(src)
	defer in.Close()
	large, err := in.Request(mostID + 1)
	if err != nil {
		return "", false, err
	}
	if large {
		return "", false, errors.New("oksse: " + f.path.String() + " is too large to be that of a last event ID")
	}
	text, err := in.Buffer().ReadText(in.Buffer().Len())
	if err != nil || text == "" {
		return "", false, err
	}
	if id = strings.TrimSuffix(text, "\n"); strings.ContainsAny(id, "\x00\r\n") {
		return "", false, errors.New("oksse: " + f.path.String() + " holds no last event ID")
	}
	return id, true, nil
}

func (f fileStore) Save(id string) (err error) {
	next := okio.ParsePath(f.path.String() + ".new")
	k, err := f.fsys.Sink(next, 0)
	if err != nil {
		return err
	}
	out := okio.NewBufferedSink(k)
	_, err = out.WriteString(id + "\n")
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return f.fsys.AtomicMove(next, f.path)
}
