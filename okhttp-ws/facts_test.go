package okws

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// factCount is how many facts about web sockets the specification numbers.
const factCount = 85

// Each fact has a test whose comment names it. With -v this prints the index.
func TestFactsAreTested(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[int][]string{}
	named := regexp.MustCompile(`(?m)^//.*?\b[Ff]acts? ([0-9][0-9, toand]*)(?:.*\n)(?://.*\n)*func (Test\w+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			for _, n := range numbers(m[1]) {
				tested[n] = append(tested[n], m[2])
			}
		}
	}
	for n := 1; n <= factCount; n++ {
		if len(tested[n]) == 0 {
			t.Errorf("no test names fact %d", n)
		}
		t.Logf("%d %s", n, strings.Join(tested[n], " "))
	}
	for n := range tested {
		if n > factCount {
			t.Errorf("%s names fact %d, which there is not", tested[n], n)
		}
	}
}

// numbers reads "1 to 3, 7 and 9".
func numbers(text string) (all []int) {
	words := strings.Fields(strings.NewReplacer(",", " ", "and", " ").Replace(text))
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			continue
		}
		if i > 1 && words[i-1] == "to" {
			first, _ := strconv.Atoi(words[i-2])
			for k := first + 1; k < n; k++ {
				all = append(all, k)
			}
		}
		all = append(all, n)
	}
	return all
}
