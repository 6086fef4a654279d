package disklru

import (
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// sweep deletes files of values that no entry has. They are there when the last session ended in the midst of its work and what it wrote into the journal
// last was lost. Between two files others get the lock.
func (s *Store) sweep() {
	var files []okio.Path
	_ = s.unlocked(func() (err error) {
		files, err = s.fs.List(s.dir) // what cannot be listed stays
		return err
	})
	for _, p := range files {
		key, ok := s.valueKey(p.Name())
		if !ok {
			continue
		}
		if s.closed || !s.initialized {
			return
		}
		if s.entries.byKey[key] == nil {
			_ = s.fs.Delete(p, 0) // the next sweep tries again
		}
		_ = s.unlocked(func() error { return nil })
	}
}

// valueKey returns the key in the name of a file with a value, published or not.
func (s *Store) valueKey(name string) (key string, ok bool) {
	key, rest, _ := strings.Cut(strings.TrimSuffix(name, ".tmp"), ".")
	i, err := strconv.Atoi(rest)
	return key, err == nil && 0 <= i && i < s.valueCount && rest == strconv.Itoa(i) && validKey(key)
}
