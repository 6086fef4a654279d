package build

import (
	"strings"
	"testing"
)

func TestSoakRefusesWhatIsNoTime(t *testing.T) {
	for _, text := range []string{"soon", "0s", "1s", "-5m"} {
		t.Setenv("SOAKTIME", text)
		if err := Soak(t.Context()); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("SOAKTIME=%s: error %v, want one that names it", text, err)
		}
	}
}
