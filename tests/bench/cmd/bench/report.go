package main

import (
	"fmt"
	"log"
	"slices"
	"sort"
	"strings"

	"github.com/okhttp-go/ok/tests/bench"
)

// A spread is a median with its lowest and highest value.
type spread struct{ median, low, high float64 }

func spreadOf(v []float64) spread {
	if len(v) == 0 {
		return spread{}
	}
	slices.Sort(v)
	m := v[len(v)/2]
	if len(v)%2 == 0 {
		m = (v[len(v)/2-1] + m) / 2
	}
	return spread{m, v[0], v[len(v)-1]}
}

func (s spread) String() string {
	if s == (spread{}) {
		return "–"
	}
	return fmt.Sprintf("%.2f [%.2f–%.2f]", s.median, s.low, s.high)
}

// A figure is what a column is made of, taken from one sample.
type figure func(bench.Sample) float64

func rate(x bench.Sample) float64      { return float64(x.Ops) / x.Elapsed.Seconds() }
func cpuop(x bench.Sample) float64     { return float64(x.CPU.Nanoseconds()) / 1e3 / float64(x.Ops) }
func micro50(x bench.Sample) float64   { return float64(x.P50.Nanoseconds()) / 1e3 }
func micro99(x bench.Sample) float64   { return float64(x.P99.Nanoseconds()) / 1e3 }
func mallocs(x bench.Sample) float64   { return x.Mallocs }
func allocated(x bench.Sample) float64 { return x.Bytes }
func grown(x bench.Sample) float64     { return float64(x.PeakRSS) / (1 << 20) }

// of is the median of a figure over the peer's good samples.
func (p *peer) of(f figure) float64 {
	var v []float64
	for _, x := range p.samples {
		if x.Err == "" {
			v = append(v, f(x))
		}
	}
	return spreadOf(v).median
}

// over compares repetition by repetition: sample i of both peers ran within seconds of one another.
func (p *peer) over(base *peer, f figure) spread {
	if base == nil {
		return spread{}
	}
	var v []float64
	for i := range min(len(p.samples), len(base.samples)) {
		if p.samples[i].Err == "" && base.samples[i].Err == "" && f(base.samples[i]) > 0 {
			v = append(v, f(p.samples[i])/f(base.samples[i]))
		}
	}
	return spreadOf(v)
}

// baseOf finds the peer with the shortest name that begins with prefix.
func baseOf(prefix string, peers []*peer) (b *peer) {
	for _, p := range peers {
		if strings.HasPrefix(p.name, prefix) && (b == nil || len(p.name) < len(b.name)) {
			b = p
		}
	}
	return b
}

// report prints one table: a row a peer, fastest first, and two columns of ratios for every base.
func report(s string, c rowCase, peers []*peer) {
	sort.SliceStable(peers, func(i, j int) bool { return peers[i].of(rate) > peers[j].of(rate) })
	names := strings.Split(*base, ",")
	bases := make([]*peer, len(names))
	for i, n := range names {
		bases[i] = baseOf(n, peers)
	}
	large := c.load.Want >= 64<<10 || c.load.Upload > 0
	unit := "ops/s"
	if large {
		unit = "MB/s"
	}
	columns := []string{unit}
	for _, n := range names {
		columns = append(columns, "x "+n)
	}
	columns = append(columns, "p50 µs", "p99 µs", "client CPU µs/op")
	for _, n := range names {
		columns = append(columns, "CPU x "+n)
	}
	columns = append(columns, "allocs/op", "B/op")
	if c.rss {
		columns = append(columns, "peak RSS +MiB")
	}
	fmt.Printf("\n### %s %s\n\n| peer | %s |\n|---|%s\n", s, c.name, strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)))
	for _, p := range peers {
		if !p.sound(s, c) {
			continue
		}
		r := p.of(rate)
		if large {
			r *= float64(c.load.Want+c.load.Upload) / 1e6
		}
		row := []string{p.name, fmt.Sprintf("%.0f", r)}
		for _, b := range bases {
			row = append(row, p.over(b, rate).String())
		}
		row = append(row, fmt.Sprintf("%.1f", p.of(micro50)), fmt.Sprintf("%.1f", p.of(micro99)), fmt.Sprintf("%.2f", p.of(cpuop)))
		for _, b := range bases {
			row = append(row, p.over(b, cpuop).String())
		}
		row = append(row, num(p.of(mallocs)), num(p.of(allocated)))
		if c.rss {
			row = append(row, fmt.Sprintf("%.1f", p.of(grown)))
		}
		fmt.Printf("| %s |\n", strings.Join(row, " | "))
		if err := p.row(s, c, unit, large).Append(*jsonl); err != nil {
			log.Print(err)
		}
	}
}

// row is what the peer did, for the file of rows.
func (p *peer) row(s string, c rowCase, unit string, large bool) bench.Row {
	factor := 1.0
	if large {
		factor = float64(c.load.Want+c.load.Upload) / 1e6
	}
	r := bench.Row{Scenario: s, Case: c.name, Peer: p.name, Unit: unit}
	for _, x := range p.samples {
		if x.Err != "" {
			r.Rate, r.CPU, r.Allocs, r.Bytes = append(r.Rate, 0), append(r.CPU, 0), append(r.Allocs, 0), append(r.Bytes, 0)
			if c.rss {
				r.RSS = append(r.RSS, 0)
			}
			continue
		}
		r.Rate = append(r.Rate, rate(x)*factor)
		r.CPU = append(r.CPU, cpuop(x))
		r.Allocs = append(r.Allocs, mallocs(x))
		r.Bytes = append(r.Bytes, allocated(x))
		if c.rss {
			r.RSS = append(r.RSS, grown(x))
		}
	}
	return r
}

// sound reports what went wrong with a peer, and whether any of its samples is good.
func (p *peer) sound(s string, c rowCase) bool {
	errs := 0
	for _, x := range p.samples {
		if x.Err != "" {
			if errs++; errs == 1 {
				log.Printf("%s/%s %s: %s", s, c.name, p.name, x.Err)
			}
		}
	}
	if h, ok := p.sess.(bench.CacheHits); ok && c.cfg.CacheDir != "" && h.Hits() == 0 {
		log.Printf("%s/%s %s: left out, since nothing came from its cache", s, c.name, p.name)
		return false
	}
	return errs < len(p.samples)
}

func num(f float64) string {
	switch {
	case f < 0:
		return "n/a"
	case f < 10:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.0f", f)
}
