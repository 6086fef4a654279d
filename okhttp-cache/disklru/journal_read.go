package disklru

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/okhttp-go/ok/okio"
)

// journalRead is how many bytes of a journal are read at a time.
const journalRead = 64 << 10

// readJournal fills the entries from the journal. It reports whether the last line has no end, so that nothing may be appended to it.
func (s *Store) readJournal() (truncated bool, err error) {
	src, err := s.fs.Source(s.journalPath)
	if err != nil {
		return false, err
	}
	file := okio.NewBufferedSource(src)
	defer file.Close() // nothing was written
	return s.parseJournal(file)
}

func (s *Store) parseJournal(file io.Reader) (truncated bool, err error) {
	r := &journalReader{lines: bufio.NewReaderSize(file, max(journalRead, maxLine(s.valueCount)))}
	if err := r.header(s.appVersion, s.valueCount); err != nil {
		return false, err
	}
	lengths := make([]int64, s.valueCount)
	records := 0
	for {
		line, err := r.line()
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
		parsed, err := parseRecord(line, lengths)
		if err != nil {
			return false, err
		}
		s.replay(parsed)
		records++
	}
	s.redundant = records - s.entries.len()
	return r.rest, nil
}

// replay does to the entries what a record says.
func (s *Store) replay(r record) {
	e := s.entries.byKey[string(r.key)] // the conversion does not allocate
	if r.op == opRemove {
		if e != nil {
			s.entries.remove(e)
		}
		return
	}
	if e == nil {
		e = s.newEntry(string(r.key))
		s.entries.add(e)
	} else {
		s.entries.touch(e)
	}
	switch r.op {
	case opClean:
		e.readable, e.dirty = true, false
		copy(e.lengths, r.lengths)
	case opDirty:
		e.dirty = true
	}
}

// A journalReader cuts a journal into lines.
type journalReader struct {
	lines *bufio.Reader
	rest  bool // there was something behind the last line's end
}

// maxLine is the length of the longest line that can be right.
func maxLine(values int) int {
	return len("REMOVE ") + maxKey + values*len(" -9223372036854775808") + len("\r\n")
}

// line returns the next line without its end, io.EOF if there is none or only a part of one.
func (r *journalReader) line() ([]byte, error) {
	line, err := r.lines.ReadSlice('\n')
	switch {
	case err == io.EOF:
		r.rest = len(line) > 0
		return nil, io.EOF
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, lineError(line)
	case err != nil:
		return nil, err
	}
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// header reads the first five lines.
func (r *journalReader) header(appVersion, valueCount int) error {
	var have [5]string
	for i := range have {
		line, err := r.line()
		if err == io.EOF {
			return corruptError("unexpected end of the journal header")
		}
		if err != nil {
			return err
		}
		have[i] = string(line)
	}
	if have != [5]string{journalMagic, journalVersion, strconv.Itoa(appVersion), strconv.Itoa(valueCount), ""} {
		return corruptError(fmt.Sprintf("unexpected journal header: [%s, %s, %s, %s]",
			shown([]byte(have[0])), shown([]byte(have[1])), shown([]byte(have[3])), shown([]byte(have[4]))))
	}
	return nil
}

// maxSum bounds what the lengths in a journal add up to, so that there is room for what is written later.
const maxSum = math.MaxInt64 / 2

// processJournal makes of what the journal says what the store starts with: it adds up the sizes, and deletes what was being edited.
func (s *Store) processJournal() error {
	// It is not needed, and what cannot be deleted will be in the way when it is.
	_ = s.fs.Delete(s.tmpPath, 0)
	for e := s.entries.next(nil); e != nil; {
		next := s.entries.next(e)
		if e.dirty {
			s.strays = true
			// A file that cannot be deleted is not worth more: it is deleted when the journal is read again, or replaced by the next edit.
			for i := range s.valueCount {
				_ = s.deleteValue(s.cleanPath(e.key, i))
				_ = s.deleteValue(s.dirtyPath(e.key, i))
			}
			s.entries.remove(e)
			e = next
			continue
		}
		for _, n := range e.lengths {
			if n > maxSum-s.size {
				return corruptError("unexpected journal: lengths add up to more than 62 bits")
			}
			s.size += n
		}
		e = next
	}
	return nil
}
