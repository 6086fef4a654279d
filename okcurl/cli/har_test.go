package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An exchange that was never sent is recorded without the header that keeps the client from unpacking, after a redirect too. One of the user's stays.
func TestArchiveOfWhatWasNotSent(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://host..invalid/", http.StatusFound)
	})
	for _, c := range []struct {
		args []string
		want int
	}{
		{nil, 0},
		{[]string{"-H", "Accept-Encoding: identity"}, 2},
	} {
		file := filepath.Join(t.TempDir(), "calls.har")
		if got := okcurl(t, append(c.args, "-s", "-L", "--har", file, url)...); got.code != exitResolve {
			t.Errorf("%+v", got)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), `"Accept-Encoding"`); n != c.want || strings.Count(string(text), `"startedDateTime"`) != 2 {
			t.Errorf("%q: Accept-Encoding %d times in %s", c.args, n, text)
		}
	}
}
