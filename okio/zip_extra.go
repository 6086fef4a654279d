package okio

import (
	"encoding/binary"
	"time"
)

// The extra fields we know (APPNOTE.TXT section 4.5, and Info-ZIP's proginfo/extrafld.txt for the timestamp).
const (
	zip64Extra    = 0x0001
	ntfsExtra     = 0x000a
	extendedExtra = 0x5455
)

// A zipTimes holds what one part of a header says about an entry; times that it does not mention are zero.
type zipTimes struct{ modified, accessed, created time.Time }

// or returns t with what it does not mention taken from o.
func (t zipTimes) or(o zipTimes) zipTimes {
	pick := func(a, b time.Time) time.Time {
		if a.IsZero() {
			return b
		}
		return a
	}
	return zipTimes{pick(t.modified, o.modified), pick(t.accessed, o.accessed), pick(t.created, o.created)}
}

// eachZipField calls visit with each field of an extra field.
func eachZipField(extra []byte, what string, visit func(id uint16, value []byte) error) error {
	for len(extra) > 0 {
		if len(extra) < 4 {
			return truncatedZip(nil, "header in "+what)
		}
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			return truncatedZip(nil, "value in "+what)
		}
		if err := visit(id, extra[:size]); err != nil {
			return err
		}
		extra = extra[size:]
	}
	return nil
}

// extend64 replaces those of the sizes and the offset of e that are sentinels by what the zip64 field has in their place.
func (e *zipEntry) extend64(value []byte) error {
	for _, field := range []*int64{&e.size, &e.compressed, &e.offset} {
		if *field != zip64Sentinel {
			continue
		}
		if len(value) < 8 {
			return badZip("zip64 extra too short")
		}
		v := int64(binary.LittleEndian.Uint64(value))
		if v < 0 {
			return badZip("zip64 extra has %#x as a size or an offset", uint64(v))
		}
		*field = v
		value = value[8:]
	}
	return nil
}

// ntfsTimes decodes the field that has times in units of 100 ns since 1601. A time of zero is not known.
func ntfsTimes(value []byte) (zipTimes, error) {
	var t zipTimes
	if len(value) < 4 {
		return t, badZip("NTFS extra too short")
	}
	seen := false
	err := eachZipField(value[4:], "NTFS extra", func(id uint16, value []byte) error {
		switch {
		case id != 1:
			return nil
		case seen:
			return badZip("NTFS extra attribute tag 0x0001 repeated")
		case len(value) != 24:
			return badZip("NTFS extra attribute tag 0x0001 size %d, expected 24", len(value))
		}
		seen = true
		t = zipTimes{modified: ntfsTime(value), accessed: ntfsTime(value[8:]), created: ntfsTime(value[16:])}
		return nil
	})
	return t, err
}

func ntfsTime(p []byte) time.Time {
	const perSecond, from1601To1970 = 1e7, 11644473600
	ticks := binary.LittleEndian.Uint64(p)
	if ticks == 0 {
		return time.Time{}
	}
	return time.Unix(int64(ticks/perSecond)-from1601To1970, int64(ticks%perSecond)*100)
}

// extendedTimes decodes the field that has times in seconds since 1970 as signed 32-bit numbers. Only a local header has more than the first.
func extendedTimes(value []byte) (zipTimes, error) {
	var t zipTimes
	if len(value) < 1 {
		return t, badZip("extended timestamp extra too short")
	}
	flags := value[0]
	value = value[1:]
	for bit, field := range []*time.Time{&t.modified, &t.accessed, &t.created} {
		if flags&(1<<bit) == 0 {
			continue
		}
		if len(value) < 4 {
			return t, badZip("extended timestamp extra too short")
		}
		*field = time.Unix(int64(int32(binary.LittleEndian.Uint32(value))), 0)
		value = value[4:]
	}
	return t, nil
}

// dosTime decodes a date and time of MS-DOS, which is local time in steps of two seconds. A date of zero is not known.
func dosTime(date, clock uint16) time.Time {
	if date == 0 {
		return time.Time{}
	}
	return time.Date(1980+int(date>>9), time.Month(date>>5&15), int(date&31), int(clock>>11), int(clock>>5&63), int(clock&31)*2, 0, time.Local)
}
