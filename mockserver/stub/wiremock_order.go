package stub

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Rank gives the stubs of several files that [Import] read the priorities with which they are asked as WireMock would ask them, in whatever order
// their files are read later. The files are given in the order in which WireMock loads them; each keeps its stubs, of which the order may change.
//
// Of mappings with the same priority WireMock asks the one first that was added last: that of a later file. Where mappings have an insertionIndex those with a larger
// one were added later, whatever file they stand in; they share the places that they have among the others. WireMock itself counts anew when it loads files, in
// an order that its host decides; what it wrote into them is the order that it had before.
//
// The last file with a priority keeps it, each before it gets the next number, and other priorities make room: 1 is still asked before 5.
func Rank(files ...[]Stub) {
	var all []imported
	for i, stubs := range files {
		for _, s := range stubs {
			all = append(all, imported{s, i})
		}
	}
	slices.SortStableFunc(all, func(a, b imported) int { return cmp.Compare(b.file, a.file) })
	byInsertion(all)
	for i := range files {
		next := 0
		for _, one := range all {
			if one.file == i {
				files[i][next] = one.stub
				next++
			}
		}
	}
	ranks := newRanks(all)
	next := make([]int, len(files))
	for _, one := range all {
		files[one.file][next[one.file]].Priority = ranks.take(one)
		next[one.file]++
	}
}

// imported is a stub of a file of mappings.
type imported struct {
	stub Stub
	file int
}

// byInsertion brings those of the same priority that have an insertionIndex into its order, the largest first, in the places that they have among the others.
func byInsertion(all []imported) {
	places := map[int][]int{}
	for i, one := range all {
		if one.stub.inserted != nil {
			places[one.stub.Priority] = append(places[one.stub.Priority], i)
		}
	}
	for _, list := range places {
		indexed := make([]imported, len(list))
		for i, place := range list {
			indexed[i] = all[place]
		}
		slices.SortStableFunc(indexed, func(a, b imported) int { return cmp.Compare(*b.stub.inserted, *a.stub.inserted) })
		for i, place := range list {
			all[place] = indexed[i]
		}
	}
}

// ranks are the numbers that the priorities of stubs become.
type ranks map[int]*rank

type rank struct {
	first  int64 // number of the priority
	spread int64 // how many more it needs
	file   int   // of the latest stub
}

// newRanks finds room for each priority: as near to itself as those between it and 0, and the end of the numbers, let it be.
func newRanks(asked []imported) ranks {
	r := ranks{}
	for _, one := range asked {
		if of := r[one.stub.Priority]; of == nil {
			r[one.stub.Priority] = &rank{file: one.file}
		} else if of.file != one.file {
			of.spread, of.file = of.spread+1, one.file
		}
	}
	sorted := slices.Sorted(maps.Keys(r))
	from, _ := slices.BinarySearch(sorted, 0)
	least := int64(0)
	for _, priority := range sorted[from:] {
		r[priority].first = max(int64(priority), least)
		least = r[priority].first + r[priority].spread + 1
	}
	most := int64(-1)
	for _, priority := range slices.Backward(sorted[:from]) {
		r[priority].first = min(int64(priority), most-r[priority].spread)
		most = r[priority].first - 1
	}
	r.confine(sorted[:from], sorted[from:])
	for _, of := range r {
		of.file = -1
	}
	return r
}

// confine moves those back that would leave the numbers that a stub file can have, which begin with a priority at the end of WireMock's.
func (r ranks) confine(below, above []int) {
	most := int64(math.MaxInt32)
	for _, priority := range slices.Backward(above) {
		r[priority].first = min(r[priority].first, most-r[priority].spread)
		most = r[priority].first - 1
	}
	least := int64(math.MinInt32)
	for _, priority := range below {
		r[priority].first = max(r[priority].first, least)
		least = r[priority].first + r[priority].spread + 1
	}
}

// take returns the number of the next stub that is asked.
func (r ranks) take(one imported) int {
	of := r[one.stub.Priority]
	if of.file >= 0 && of.file != one.file {
		of.first++
	}
	of.file = one.file
	return int(of.first)
}
