package servecli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTokenFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	made, err := tokenOf(file)
	if err != nil || len(made) != 64 {
		t.Fatalf("made %q, %v", made, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if again, err := tokenOf(file); err != nil || again != made {
		t.Errorf("read %q, %v", again, err)
	}
	if other, err := tokenOf(filepath.Join(t.TempDir(), "token")); err != nil || other == made {
		t.Errorf("made %q, %v", other, err)
	}
	if _, err := tokenOf(filepath.Join(t.TempDir(), "none", "token")); err == nil {
		t.Error("a folder that is not there")
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut strings.Builder
	if code := run(t.Context(), []string{"serve", "--admin", "127.0.0.1:0", "--admin-token-file", short}, &out, &errOut); code != 1 || !strings.Contains(errOut.String(), "a token of at least 16 bytes") || strings.Contains(errOut.String(), "short\n") {
		t.Errorf("%d %s", code, errOut.String())
	}
}
