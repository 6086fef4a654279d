package match_test

import (
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp"
)

// One part of a form with a file is described, and the others may be as they like.
func ExamplePart() {
	m := match.Part(match.PartRules{
		Name:     "file",
		FileName: "tea.csv",
		Headers:  map[string]match.Pattern{"Content-Type": match.HasPrefix("text/")},
	})
	fmt.Println(m)
	for _, file := range []string{"tea.csv", "tea.pdf"} {
		text := strings.Join([]string{
			`--edge`, `Content-Disposition: form-data; name="note"`, ``, `for you`,
			`--edge`, `Content-Disposition: form-data; name="file"; filename="` + file + `"`, `Content-Type: text/csv`, ``, `pot,3`, `--edge--`, ``}, "\r\n")
		r := order(text)
		r.Headers, _ = okhttp.NewHeaders("Content-Type", "multipart/form-data; boundary=edge")
		for _, mismatch := range m.Match(r) {
			fmt.Println(mismatch)
		}
	}
	// Output:
	// part file of file "tea.csv" with header Content-Type one that begins with "text/"
	// part file: file name: expected "tea.csv" but it was "tea.pdf"
}
