package okhttp

import (
	"slices"
	"strconv"
	"strings"
)

// AddPathSegment adds one segment. Slashes in it are encoded. "" adds a trailing slash, "." nothing, and ".." removes
// the last segment.
func (b *URLBuilder) AddPathSegment(segment string) *URLBuilder {
	b.push(encode(segment, rawPath), false)
	return b
}

// AddPathSegments adds the segments of a relative path, split at "/" and "\". A leading slash stands for an empty
// segment.
func (b *URLBuilder) AddPathSegments(path string) *URLBuilder {
	for {
		end := indexSlash(path)
		last := end == len(path)
		b.push(encode(path[:end], rawPath), !last)
		if last {
			return b
		}
		path = path[end+1:]
	}
}

// SetPathSegment replaces the segment at index, counted from 0. It refuses "." and "..".
func (b *URLBuilder) SetPathSegment(index int, segment string) *URLBuilder {
	encoded := encode(segment, rawPath)
	if dotSegment(encoded) != 0 {
		return b.fail("path", "unexpected path segment: "+strconv.Quote(segment))
	}
	if !b.hasSegment(index) {
		return b
	}
	b.segments[index] = encoded
	return b
}

// RemovePathSegment removes the segment at index, counted from 0. A path keeps one segment, if an empty one.
func (b *URLBuilder) RemovePathSegment(index int) *URLBuilder {
	if !b.hasSegment(index) {
		return b
	}
	b.segments = slices.Delete(b.segments, index, index+1)
	return b
}

// EncodedPath replaces the path by one that may be percent-encoded. It must begin with "/"; dot segments are resolved.
func (b *URLBuilder) EncodedPath(path string) *URLBuilder {
	path = removeNewlines(path)
	if path == "" || !isSlash(path[0]) {
		return b.fail("path", "unexpected encoded path: "+strconv.Quote(abridge(path, 80)))
	}
	b.segments = strings.Split(string(appendPath(nil, 0, path[1:]))[1:], "/")
	return b
}

// hasSegment checks an index.
func (b *URLBuilder) hasSegment(index int) bool {
	if len(b.segments) == 0 {
		b.segments = []string{""}
	}
	if index >= 0 && index < len(b.segments) {
		return true
	}
	b.fail("path", "expected a path segment index from 0 to "+strconv.Itoa(len(b.segments)-1)+" but was "+strconv.Itoa(index))
	return false
}

// push adds an encoded segment, in the place of an empty last one, and an empty one after it if a slash follows.
func (b *URLBuilder) push(segment string, slash bool) {
	if len(b.segments) == 0 {
		b.segments = append(b.segments, "")
	}
	last := len(b.segments) - 1
	switch dotSegment(segment) {
	case 1:
		return
	case 2:
		if b.segments[last] != "" || last == 0 {
			b.segments[last] = ""
		} else {
			b.segments = b.segments[:last]
			b.segments[last-1] = ""
		}
		return
	}
	if b.segments[last] == "" {
		b.segments[last] = segment
	} else {
		b.segments = append(b.segments, segment)
	}
	if slash {
		b.segments = append(b.segments, "")
	}
}
