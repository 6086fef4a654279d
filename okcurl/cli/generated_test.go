package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asked are scripts for shells: what the completion of a file makes of a word, which are the arguments; zsh tells on a terminal alone.
var asked = map[string]string{
	"bash": `. "$0"; COMP_WORDS=(okcurl "$1"); COMP_CWORD=1; _okcurl; printf '%s\n' "${COMPREPLY[@]}"`,
	"fish": `source $argv[1]; complete -C "okcurl $argv[2]" | string replace -r '\t.*' ''; true`,
}

// The completions and the manual name every option; the shells that are here take them.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		r := okcurl(t, "--completion", shell)
		for i := range flags {
			if f := &flags[i]; !strings.Contains(r.out, f.long) {
				t.Errorf("%s: no --%s", shell, f.long)
			}
		}
		program, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed: its completion was not checked by it", shell)
			continue
		}
		file := filepath.Join(dir, shell)
		if err := os.WriteFile(file, []byte(r.out), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
		if ask := asked[shell]; ask != "" {
			for word, want := range map[string]string{
				"--connect-ti": "--connect-timeout",
				"--http2":      "--http2 --http2-prior-knowledge",
				"--nonesuch":   "",
			} {
				out, err := exec.Command(program, "-c", ask, file, word).Output()
				got := strings.Fields(string(out))
				slices.Sort(got)
				if err != nil || strings.Join(got, " ") != want {
					t.Errorf("%s completes %s to %q, %v, want %q", shell, word, out, err, want)
				}
			}
		}
	}
	r := okcurl(t, "--manual")
	for i := range flags {
		if name := strings.ReplaceAll(flags[i].long, "-", `\-`); !strings.Contains(r.out, `\fB\-\-`+name) && !strings.Contains(r.out, `\fR, \fB\-\-`+name) {
			t.Errorf("the manual lacks --%s", flags[i].long)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.Command(groff, "-man", "-Tascii", "-ww")
		cmd.Stdin = strings.NewReader(r.out)
		if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("warning")) {
			t.Errorf("groff: %v\n%.500s", err, out)
		}
	}
}
