// Command okiobench runs the buffers, pipes, lines, gzip and sockets of okio next to what the standard library has for the same job, in one process and
// interleaved: every repetition runs each contender once, and a ratio is the median of the ratios of the repetitions, with the lowest and the
// highest. It needs no server of its own beyond a loopback socket.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"runtime/pprof"
	"time"
)

var (
	run  = flag.String("run", ".", "regexp: cases to run")
	reps = flag.Int("reps", 9, "interleaved repetitions")
	dur  = flag.Duration("d", 40*time.Millisecond, "length of one measured run")
	rows = flag.String("json", "", "append one JSON line a row to this file")
	plan = flag.Bool("plan", false, "print about how many seconds it would take, and do nothing")
	prof = flag.String("cpuprofile", "", "write a CPU profile of the measured runs")
	peer = flag.String("a", ".", "regexp: contenders to run")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	if err := benchmarks(); err != nil {
		log.Fatal("okiobench: ", err)
	}
}

func benchmarks() error {
	wanted, err := regexp.Compile(*run)
	if err != nil {
		return err
	}
	peers, err := regexp.Compile(*peer)
	if err != nil {
		return err
	}
	if *prof != "" {
		f, err := os.Create(*prof)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var total time.Duration
	for _, g := range groups() {
		opened := false
		for _, c := range g.cases {
			if !wanted.MatchString(g.name + "/" + c.name) {
				continue
			}
			if *plan {
				total += expected(c)
				continue
			}
			if !opened {
				opened = true
				heading(g)
			}
			if err := measure(g, c, peers); err != nil {
				return err
			}
		}
	}
	if *plan {
		fmt.Println(int(total.Seconds()))
	}
	return nil
}
