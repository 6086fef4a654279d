//go:build !unix

package script

import "github.com/rogpeppe/go-internal/testscript"

func silent(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("silent: not on this system") }
