package build

import (
	"strings"
	"testing"
)

func TestRaceSaysWhatIsMissing(t *testing.T) {
	t.Setenv("CC", "no-such-compiler -O2")
	env, why := raceEnv(t.Context())
	if env != nil || !strings.Contains(why, "no-such-compiler is not installed") {
		t.Errorf("environment %q because %q, want none because the compiler is not installed", env, why)
	}
}
