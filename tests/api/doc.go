// Package api keeps a listing of what each product module exports, <module>.txt, so that a change of the public surface shows as a change of a file in
// review and never slips in, and of the module graph that each one brings to its users, modules.golden. A difference fails the test; go test ./tests/api
// -update writes the files anew.
package api
