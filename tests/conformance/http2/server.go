package http2

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

// RunServer puts every case of h2spec for servers, the strict ones too, before the server at an address, over TLS if secure. The server answers each
// request with content. Each result is in the place of its case.
func RunServer(addr string, secure bool) ([]Result, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	type numbered struct {
		*spec.TestCase
		id string
	}
	var cases []numbered
	var walk func(g *spec.TestGroup)
	walk = func(g *spec.TestGroup) {
		for i, c := range slices.Concat(g.Tests, g.StrictTests) {
			cases = append(cases, numbered{c, fmt.Sprintf("%s/%d", g.ID(), i+1)})
		}
		for _, sub := range g.Groups {
			walk(sub)
		}
	}
	for _, g := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		walk(g)
	}
	results := make([]Result, len(cases))
	slots := make(chan struct{}, abreast)
	var all sync.WaitGroup
	for i, c := range cases {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			settings := &config.Config{
				Host: host, Port: port, Path: "/", Timeout: quiet, MaxHeaderLen: 4000, Strict: true, TLS: secure, Insecure: secure,
			}
			r := Result{ID: c.id, Desc: c.Desc}
			conn, err := spec.Dial(settings)
			if err == nil {
				err = c.Run(settings, conn)
				conn.Close()
			}
			r.decide(err)
			results[i] = r
		})
	}
	all.Wait()
	return results, nil
}
