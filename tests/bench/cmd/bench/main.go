// Command bench runs the scenarios. Peers are interleaved: every repetition
// runs each adapter once, and ratios are medians of per-repetition ratios.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	_ "github.com/okhttp-go/ok/tests/bench/adapters"
)

var (
	scen   = flag.String("s", "h1-small", "comma list of scenarios, or 'all'")
	only   = flag.String("a", ".", "regexp: adapters to run")
	except = flag.String("x", "^$", "regexp: adapters not to run")
	conc   = flag.String("c", "", "regexp: concurrency (or sub-case) to run, e.g. '^c(1|8)$'")
	reps   = flag.Int("reps", 5, "interleaved repetitions")
	dur    = flag.Duration("d", 300*time.Millisecond, "length of one measured run")
	base   = flag.String("base", "floor,nethttp", "comma list of adapter prefixes; each gets its columns of ratios")
	prof   = flag.String("cpuprofile", "", "write a CPU profile of the measured runs")
	memp   = flag.String("memprofile", "", "write an allocation profile (rate 1: slow)")
	server = flag.String("server", "bin/server", "server binary")
	rtmo   = flag.Duration("timeout", 0, "give every request its own context.WithTimeout (0 = one cancellable context per worker)")
	scpu   = flag.String("servercpu", "", "pin the server to this CPU list (run bench itself under taskset -c 0)")
	jsonl  = flag.String("json", "", "append one JSON line per row to this file")
	label  = flag.String("label", "", "what to add to the names of scenarios, such as \", one CPU\"")
	plan   = flag.Bool("plan", false, "print about how many seconds it would take, and do nothing")
)

var (
	ep    map[string]string
	roots *x509.CertPool
	tmp   string
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	if *memp != "" {
		runtime.MemProfileRate = 1
	}
	// log.Fatal would leave the server and the folder behind, so the run has a function of its own.
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	var err error
	if tmp, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command(*server, "-dir", tmp)
	if *scpu != "" {
		cmd = exec.Command("taskset", "-c", *scpu, *server, "-dir", tmp)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { in.Close(); cmd.Wait() }() // the server exits when its stdin closes
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("bench: the server did not say that it is ready: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(tmp, "endpoints.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &ep); err != nil {
		return err
	}
	pem, err := os.ReadFile(filepath.Join(tmp, "ca.pem"))
	if err != nil {
		return err
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	var pf *os.File
	if *prof != "" {
		if pf, err = os.Create(*prof); err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(pf); err != nil {
			return err
		}
	}
	list := strings.Split(*scen, ",")
	if *scen == "all" {
		list = []string{"h1-small", "h1-large", "h1-tls-small", "h2-small", "h2-large", "connect", "gzip", "cache", "ws", "ws-deflate", "sse"}
	}
	var total time.Duration
	for _, s := range list {
		cases := casesOf(s)
		if cases == nil {
			return fmt.Errorf("bench: unknown scenario %q", s)
		}
		for _, c := range cases {
			if *conc != "" && !regexp.MustCompile(*conc).MatchString(c.name) {
				continue
			}
			if *plan {
				total += expected(s, c)
				continue
			}
			runCase(s, c)
		}
	}
	if *plan {
		fmt.Println(int(total.Seconds()))
	}
	if pf != nil {
		pprof.StopCPUProfile()
		pf.Close()
	}
	if *memp != "" {
		f, err := os.Create(*memp)
		if err != nil {
			return err
		}
		defer f.Close()
		return pprof.Lookup("allocs").WriteTo(f, 0)
	}
	return nil
}
