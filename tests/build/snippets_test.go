package build

import (
	"strings"
	"testing"
)

func TestSnippets(t *testing.T) {
	docs := tree(t, map[string]string{
		"examples/a_test.go":      "package examples\n\n// #region one\nvar x = 1\n\n// #endregion one\n\n// #region open\n",
		"examples/glued_test.go":  "func Example() {\n\t// #region glued\n\tprint()\n\t// #endregion glued\n\t// Output: x\n}\n",
		"sub/not-run.md":          "<<< @/examples/glued_test.go#glued{go}\n",
		"page.md":                 "# Page\n\n<<< @/examples/a_test.go#one{go}\n<<< @/examples/a_test.go\n",
		"node_modules/x/page.md":  "<<< @/gone.go\n",
		"sub/bad-region.md":       "text\n<<< @/examples/a_test.go#two{go}\n",
		"sub/unclosed.md":         "<<< @/examples/a_test.go#open{go}\n",
		"sub/bad-file.md":         "<<< @/examples/gone.go#one{go}\n",
		"sub/not-understood.md":   "<<< ./a_test.go\n",
		".vitepress/cache/old.md": "<<< @/gone.go\n",
	})
	err := snippets(docs)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`bad-region.md:2: a_test.go has no region "two"`, `unclosed.md:1: a_test.go has no region "open"`, "bad-file.md:1: ", "not-understood.md:1: a snippet is written", "not-run.md:1: glued_test.go has an example that does not run"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("%d complaints, want 5:\n%v", n, err)
	}
}
