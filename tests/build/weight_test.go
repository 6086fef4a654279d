package build

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWeigh(t *testing.T) {
	noise := make([]byte, 300_000) // does not become less in gzip
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	site := map[string]string{
		"index.html":         `<link rel="stylesheet" href="/style.css"><a href="/style2.css">`,
		"style.css":          strings.Repeat("a", 1_000_000),
		"assets/app.js":      string(noise),
		"assets/font.woff2":  string(noise[:100_000]),
		"guide/page.html":    `<script type="module" src="/assets/app.js"></script><link rel="modulepreload" href="/assets/app.js"><link href="/assets/font.woff2" as="font">`,
		"assets/picture.svg": "<svg/>",
	}
	page, most, err := weigh(tree(t, site))
	if err != nil || page != "guide/page.html" || most < 400_000 || most > 401_000 {
		t.Errorf("%s, %d, %v", page, most, err)
	}

	site["heavy.html"] = `<script src="/assets/app.js"></script><img src="/assets/picture.svg"><img src="/assets/noise.png">`
	site["assets/noise.png"] = string(noise)
	_, _, err = weigh(tree(t, site))
	if err == nil || !strings.Contains(err.Error(), "heavy.html weighs 60") || strings.Contains(err.Error(), "page.html") {
		t.Errorf("%v", err)
	}

	site["lost.html"] = `<script src="/gone.js"></script>`
	if _, _, err = weigh(tree(t, site)); err == nil || !strings.Contains(err.Error(), "lost.html loads what is not there") {
		t.Errorf("%v", err)
	}
}
