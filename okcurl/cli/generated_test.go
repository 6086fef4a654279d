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

// completers are commands that tell what the completion of a file makes of a word, which are their last arguments. zsh tells on a terminal alone.
var completers = map[string][]string{
	"bash": {"-c", `. "$0"; COMP_WORDS=(okcurl "$1"); COMP_CWORD=1; _okcurl; printf '%s\n' "${COMPREPLY[@]}"`},
	"fish": {"--no-config", "-c", `source $argv[1]; complete -C "okcurl $argv[2]" | string replace -r '\t.*' ''; true`},
}

// The completions name every option; the shells that are here take them and complete.
func TestCompletion(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // where fish keeps notes
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			r := okcurl(t, "--completion", shell)
			for i := range flags {
				if f := &flags[i]; !strings.Contains(r.out, f.long) {
					t.Errorf("no --%s", f.long)
				}
			}
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("%s is not installed: its completion was not checked by it", shell)
			}
			file := filepath.Join(t.TempDir(), "completion")
			if err := os.WriteFile(file, []byte(r.out), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(shell, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%s -n: %v\n%s", shell, err, out)
			}
			if completers[shell] != nil {
				wantCompleted(t, shell, file, "--connect-ti", "--connect-timeout")
				wantCompleted(t, shell, file, "--http2", "--http2", "--http2-prior-knowledge")
				wantCompleted(t, shell, file, "--nonesuch")
			}
		})
	}
}

// wantCompleted has a shell complete a word, without a complaint.
func wantCompleted(t *testing.T, shell, file, word string, want ...string) {
	t.Helper()
	out, err := exec.Command(shell, append(slices.Clip(completers[shell]), file, word)...).CombinedOutput()
	got := strings.Fields(string(out))
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s became %q, %v, want %q", word, out, err, want)
	}
}

// The manual names every option, and groff takes it.
func TestManual(t *testing.T) {
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
