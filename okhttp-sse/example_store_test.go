package oksse_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/okhttp-go/ok/okhttp-sse"
)

// places keeps the last event of each of many streams, as a table of a database would.
type places struct {
	mu  sync.Mutex
	ids map[string]string
}

// of is the store of one stream.
func (p *places) of(stream string) oksse.IDStore { return place{p, stream} }

type place struct {
	all    *places
	stream string
}

func (p place) Load() (id string, saved bool, err error) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	id, saved = p.all.ids[p.stream]
	return id, saved, nil
}

func (p place) Save(id string) error {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.all.ids[p.stream] = id
	return nil
}

// An event counts as handled when the loop asks for the next one; one that the loop was left with comes again.
func ExampleIDStore() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	all := &places{ids: map[string]string{}}
	for range 2 {
		stream := oksse.NewStream(client, req, &oksse.Config{Store: all.of("numbers")})
		for e, err := range stream.Events(context.Background()) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(e.Data)
			if e.Data == "two" {
				break
			}
		}
	}
	fmt.Println(all.ids)
	// Output:
	// one
	// two
	// two
	// map[numbers:1]
}
