package cli

import (
	"log/slog"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
)

// defaultCacheSize is how many bytes the cache of a directory may have if nobody says.
const defaultCacheSize = 1 << 30

// openCache returns the cache that --cache names. What goes wrong in it is told, but fails no transfer.
func (s *session) openCache() (*okcache.Cache, error) {
	size := s.o.cacheSize
	if size == 0 {
		size = defaultCacheSize
	}
	c, err := okcache.Open(s.o.cacheDir, size, okcache.Config{Logger: slog.New(cacheLog{s: s})})
	if err != nil {
		return nil, usageError("--cache %s: %v", s.o.cacheDir, err)
	}
	return c, nil
}

// cacheEvents prints what the cache decides, and the head of what it answers.
func cacheEvents(tell func(format string, args ...any), head func(*okhttp.Response)) *okhttp.EventListener {
	answered := func(text string) func(okhttp.CacheEvent) {
		return func(e okhttp.CacheEvent) {
			tell(text)
			if head != nil {
				head(e.Response)
			}
		}
	}
	return &okhttp.EventListener{
		CacheHit:            answered("From the cache"),
		CacheMiss:           func(okhttp.CacheEvent) { tell("Not in the cache") },
		CacheConditionalHit: func(okhttp.CacheEvent) { tell("In the cache, to be validated") },
		SatisfactionFailure: answered("Not in the cache, and nothing else is allowed"),
	}
}

// run does what "okcurl cache COMMAND DIR ..." says.
func (c *cacheCommand) run(args []string) error {
	if len(args) == 0 {
		return usageError("cache: a command is needed: ls, show, rm, stats or verify")
	}
	name, args := args[0], args[1:]
	do, ok := cacheCommands[name]
	if !ok {
		return usageError("cache: unknown command %q: ls, show, rm, stats or verify", name)
	}
	var rest []string
	for _, a := range args {
		switch {
		case name == "show" && (a == "-I" || a == "--head"):
			c.head = true
		case name == "rm" && a == "--all":
			c.all = true
		case strings.HasPrefix(a, "-"):
			return usageError("cache %s: unknown option %s", name, a)
		default:
			rest = append(rest, a)
		}
	}
	if len(rest) == 0 {
		return usageError("cache %s: a directory is needed", name)
	}
	c.dir, c.urls = rest[0], rest[1:]
	switch {
	case name == "show" && len(c.urls) != 1:
		return usageError("cache show: one URL is needed")
	case name == "rm" && c.all == (len(c.urls) > 0):
		return usageError("cache rm: URLs are needed, or --all")
	case name != "show" && name != "rm" && len(c.urls) > 0:
		return usageError("cache %s: unexpected argument %q", name, c.urls[0])
	}
	return do(c)
}

// isCacheCommand reports whether the command line is about a cache. A host may be called cache as well, if an option follows.
func isCacheCommand(args []string) bool {
	return len(args) > 0 && args[0] == "cache" && (len(args) == 1 || !strings.HasPrefix(args[1], "-"))
}

var cacheCommands map[string]func(*cacheCommand) error

func init() {
	cacheCommands = map[string]func(*cacheCommand) error{
		"ls": (*cacheCommand).list, "show": (*cacheCommand).show, "rm": (*cacheCommand).remove, "stats": (*cacheCommand).stats, "verify": (*cacheCommand).verify,
	}
}

// inspect reads the directory without changing anything.
func (c *cacheCommand) inspect() (*okcache.Inspection, error) {
	in, err := okcache.Inspect(c.dir)
	if err != nil {
		return nil, &failure{exitRead, "cannot read the cache: " + printable(strings.TrimPrefix(rootText(err), "disklru: "))}
	}
	return in, nil
}
