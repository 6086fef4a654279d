package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Row is what one peer did in one case: element i of each figure is from repetition i, and 0 where that failed. It is what tests/bench writes
// with -json.
type Row struct {
	Scenario, Case, Peer, Unit    string
	Rate, CPU, Allocs, Bytes, RSS []float64
}

// Read reads rows, a line of JSON each.
func Read(r io.Reader) (rows []Row, err error) {
	for dec := json.NewDecoder(r); ; {
		var row Row
		if err := dec.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("figures: row %d: %w", len(rows)+1, err)
		}
		rows = append(rows, row)
	}
}

// names of the figures that a row has.
var names = []string{"rate", "cpu", "allocs", "bytes", "rss"}

// figure returns the values of a figure by its name.
func (r Row) figure(name string) []float64 {
	switch name {
	case "rate":
		return r.Rate
	case "cpu":
		return r.CPU
	case "allocs":
		return r.Allocs
	case "bytes":
		return r.Bytes
	case "rss":
		return r.RSS
	}
	return nil
}

// find returns the row of a peer; a name that ends with * is of the first peer that begins so.
func find(rows []Row, scenario, kase, peer string) (Row, bool) {
	prefix, any := strings.CutSuffix(peer, "*")
	i := slices.IndexFunc(rows, func(r Row) bool {
		return r.Scenario == scenario && r.Case == kase && (r.Peer == peer || any && strings.HasPrefix(r.Peer, prefix))
	})
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}
