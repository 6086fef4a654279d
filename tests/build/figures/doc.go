// Package figures makes bars and plots from what the benchmarks of tests/bench have measured.
//
// A row is what one peer did in one case, repetition by repetition. A [Spread] is the ratio of two rows, compared repetition by repetition, since peers take turns and
// what disturbs one repetition disturbs all of its peers. A [Bar] is what such a ratio has to be, with the issue that asks for it, and [Plot] draws the
// ratios of a scenario.
package figures
