package okio

import (
	"fmt"
	"sort"
	"strings"
)

// Options is a list of byte strings, in order of preference, that the front of a [Buffer] or [BufferedSource] can be
// matched against without allocating. It is immutable and safe for concurrent use. The zero
// value matches nothing.
type Options struct {
	list  []ByteString
	nodes []optionNode
}

// An optionNode is a node of a trie whose single-child paths are compressed into runs.
type optionNode struct {
	run    ByteString // must match before anything else
	option int        // the option that is complete after run, or -1
	keys   ByteString // the bytes that may follow, in ascending order
	kids   []int      // the node that each key leads to
}

// noMatch is the result of a match that found no option.
const noMatch = -1

// NewOptions returns the options in order of preference. An option that starts with an earlier one can never be selected;
// one that a later option is a prefix of is tried first, and the later one is the fallback. An empty list matches nothing.
// Empty and duplicate options are errors.
func NewOptions(list ...ByteString) (*Options, error) {
	o := &Options{list: append([]ByteString(nil), list...)}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return list[order[i]] < list[order[j]] })
	kept := order[:0]
	var open []int // the options that are prefixes of the one at hand, shortest first
	for _, i := range order {
		option := list[i]
		if option == "" {
			return nil, fmt.Errorf("okio: option %d is empty", i)
		}
		for len(open) > 0 && !strings.HasPrefix(string(option), string(list[open[len(open)-1]])) {
			open = open[:len(open)-1]
		}
		hidden := false
		for _, prefix := range open {
			if list[prefix] == option {
				return nil, fmt.Errorf("okio: duplicate option: %s", option.Describe())
			}
			hidden = hidden || prefix < i
		}
		open = append(open, i)
		if !hidden {
			kept = append(kept, i)
		}
	}
	o.build(kept, 0)
	return o, nil
}

// build appends the node for the given options, which are sorted and agree on their first depth bytes, and returns its
// index.
func (o *Options) build(options []int, depth int) int {
	at := len(o.nodes)
	o.nodes = append(o.nodes, optionNode{option: noMatch})
	if len(options) == 0 {
		return at
	}
	first, last := o.list[options[0]], o.list[options[len(options)-1]]
	end := depth
	for end < len(first) && end < len(last) && first[end] == last[end] {
		end++
	}
	node := optionNode{run: first[depth:end], option: noMatch}
	if end == len(first) {
		node.option = options[0]
		options = options[1:]
	}
	var keys []byte
	for len(options) > 0 {
		key := o.list[options[0]][end]
		n := sort.Search(len(options), func(i int) bool { return o.list[options[i]][end] > key })
		keys = append(keys, key)
		node.kids = append(node.kids, o.build(options[:n], end+1))
		options = options[n:]
	}
	node.keys = ByteString(keys)
	o.nodes[at] = node
	return at
}

// match returns the best option that the front of b starts with, or noMatch, and whether more data could change that.
func (o *Options) match(b *Buffer) (best int, more bool) {
	best = noMatch
	if len(o.nodes) == 0 {
		return best, false
	}
	node := &o.nodes[0]
	s := b.head
	if s == nil {
		return best, len(node.run)+len(node.kids) > 0
	}
	p := s.data[s.pos:s.limit]
	for {
		for run := node.run; len(run) > 0; {
			if len(p) == 0 {
				if s = s.next; s == b.head {
					return best, true
				}
				p = s.data[s.pos:s.limit]
			}
			n := min(len(p), len(run))
			if string(p[:n]) != string(run[:n]) {
				return best, false
			}
			p, run = p[n:], run[n:]
		}
		if node.option >= 0 {
			best = node.option
		}
		if len(node.kids) == 0 {
			return best, false
		}
		if len(p) == 0 {
			if s = s.next; s == b.head {
				return best, true
			}
			p = s.data[s.pos:s.limit]
		}
		i := strings.IndexByte(string(node.keys), p[0])
		if i < 0 {
			return best, false
		}
		p = p[1:]
		node = &o.nodes[node.kids[i]]
	}
}
