package stub

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
)

// TestTemplatesAreStoppedBeforeTheyMakeMuch counts the memory of templates that would make much of a body.
func TestTemplatesAreStoppedBeforeTheyMakeMuch(t *testing.T) {
	r := &mockserver.Request{Method: "POST", Target: "/", Body: []byte(`["` + strings.Repeat("<", 2<<20) + `"]`)}
	list := &mockserver.Request{Method: "POST", Target: "/", Body: []byte("[" + strings.Repeat("1,", 100_000) + "1]")}
	for _, tt := range []struct {
		text string
		r    *mockserver.Request
	}{
		{`{{printf "` + strings.Repeat("%[1]s", 150) + `" .Body}}`, r},
		{`{{printf "` + strings.Repeat("%1[1]s", 150) + `" .Body}}`, r},
		{`{{printf "%q%x" .Body .Body}}`, r},
		{`{{html .Body}}`, r}, {`{{js .Body}}`, r}, {`{{json .Body}}`, r},
		{`{{printf "%999v" (.JSON "$")}}`, list},
	} {
		c, err := compile("t", tt.text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = run(c, newData(tt.r, nil, 0))
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrTemplate) || made > 64<<20 {
			t.Errorf("%.40s: %v, %d bytes", tt.text, err, made)
		}
	}
}
