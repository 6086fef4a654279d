package okcache

import "sync"

// heads has entries that were parsed lately, by key: who is asked for the same response again need not parse the same head again. They are never modified.
type heads struct {
	mu sync.Mutex
	m  map[string]parsedHead
}

type parsedHead struct {
	text  string
	entry *entry
}

const (
	maxHeads    = 256
	maxHeadText = 8 << 10
)

// parse returns the entry that a text is the head of.
func (h *heads) parse(key, text string) (*entry, error) {
	h.mu.Lock()
	known, ok := h.m[key]
	h.mu.Unlock()
	if ok && known.text == text {
		return known.entry, nil
	}
	e, err := parseEntry(text)
	if err != nil || len(text) > maxHeadText {
		return e, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.m) >= maxHeads || h.m == nil {
		h.m = make(map[string]parsedHead)
	}
	h.m[key] = parsedHead{text, e}
	return e, nil
}
