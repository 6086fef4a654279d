// Package layers checks the rules that keep the modules layered, over what the go command says of every package of the workspace:
//
//  1. Arrows only point down: a module imports the modules its row of the table names, in its tests too.
//  2. okio, okhttp/http1 and okhttp/http2 link neither net/http nor okhttp nor anything above it.
//  3. No module imports another module's internal packages.
//  4. A product go.mod requires the modules below it and the few foreign modules the table allows. What only tests and tools need lives in tests,
//     tests/bench and docs/examples, because a requirement of a product reaches every consumer's module graph.
package layers
