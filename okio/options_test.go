package okio

import (
	"errors"
	"strings"
	"testing"
)

func mustOptions(t testing.TB, list ...ByteString) *Options {
	t.Helper()
	o, err := NewOptions(list...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSelect(t *testing.T) {
	long := ByteString(strings.Repeat("x", segN+10))
	for _, c := range []struct {
		name    string
		options []ByteString
		in      string
		want    []int // the results of one call after another
		rest    string
	}{
		{"in a row", []ByteString{"ROCK", "SCISSORS", "PAPER", ","}, "PAPER,SCISSORS,ROCK", []int{2, 3, 1, 3, 0}, ""},
		{"none", []ByteString{"ROCK", "SCISSORS", "PAPER"}, "SPOCK", []int{-1}, "SPOCK"},
		{"first listed", []ByteString{"abcd", "abc", "abcde"}, "abcdef", []int{0}, "ef"},
		{"too short for all", []ByteString{"abcd", "abce", "abcc"}, "abc", []int{-1}, "abc"},
		{"prefix first", []ByteString{"abc", "abcdef"}, "abcdefg", []int{0}, "defg"},
		{"prefix last", []ByteString{"abcdef", "abc"}, "abcdefg", []int{0}, "g"},
		{"fallback not needed", []ByteString{"hotdog", "hoth", "hot"}, "hotdog", []int{0}, ""},
		{"fallback", []ByteString{"hotdog", "hoth", "hot"}, "hotx", []int{2}, "x"},
		{"hidden by a prefix", []ByteString{"abcA", "abc", "abcB"}, "abcB", []int{1}, "B"},
		{"all hidden", []ByteString{"a", "ab", "abc"}, "abc", []int{0}, "bc"},
		{"nested, longest", []ByteString{"abc", "ab", "a"}, "abc", []int{0}, ""},
		{"nested, middle", []ByteString{"abc", "ab", "a"}, "ab", []int{1}, ""},
		{"nested, shortest", []ByteString{"abc", "ab", "a"}, "ax", []int{2}, "x"},
		{"end inside the longer one", []ByteString{"abcdefg", "ab"}, "abcd", []int{1}, "cd"},
		{"the longer one", []ByteString{"abcdefg", "ab"}, "abcdefghi", []int{0}, "hi"},
		{"end after the shorter one", []ByteString{"abc", "a"}, "ab", []int{1}, "b"},
		{"no options", nil, "abc", []int{-1}, "abc"},
		{"no data", []ByteString{"a"}, "", []int{-1}, ""},
		{"longer than a segment", []ByteString{long + "a", long + "b", long}, string(long + "bc"), []int{1}, "c"},
		{"fallback longer than a segment", []ByteString{long + "a", long + "b", long}, string(long + "cc"), []int{2}, "cc"},
		{"bytes above 7f", []ByteString{"\xff\x00", "\x80", "\x7f"}, "\x80\xff\x00\x7f", []int{1, 0, 2}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := mustOptions(t, c.options...)
			b := NewBufferString(c.in)
			for _, want := range c.want {
				if got := b.Select(o); got != want {
					t.Errorf("buffer: %d, want %d", got, want)
				}
			}
			if got := string(b.Snapshot()); got != c.rest {
				t.Errorf("buffer: %q left", got)
			}
			for _, up := range []Source{NewBufferString(c.in), drip(c.in)} {
				s := NewBufferedSource(up)
				for _, want := range c.want {
					if got, err := s.Select(o); got != want || err != nil {
						t.Errorf("source: %d, %v, want %d", got, err, want)
					}
				}
				if got := rest(t, s); got != c.rest {
					t.Errorf("source: %q left", got)
				}
			}
		})
	}
}

// A source is read only while what is buffered is the beginning of a longer option.
func TestSelectIsLazy(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
		left int64
	}{{"abcd", 0, 1}, {"axcd", 1, 2}, {"xabc", -1, 3}} {
		up := drip(c.in)
		got, err := NewBufferedSource(up).Select(mustOptions(t, "abc", "a"))
		if got != c.want || err != nil || up.Len() != c.left {
			t.Errorf("%q: %d, %v, %d left upstream", c.in, got, err, up.Len())
		}
	}
}

func TestNewOptionsErrors(t *testing.T) {
	for _, c := range []struct {
		list []ByteString
		want string
	}{
		{[]ByteString{"abc", ""}, "okio: option 1 is empty"},
		{[]ByteString{"abc", "abc"}, "okio: duplicate option: [text=abc]"},
		{[]ByteString{"a", "abc", "ab", "abc"}, "okio: duplicate option: [text=abc]"},
	} {
		if _, err := NewOptions(c.list...); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.list, err, c.want)
		}
	}
}

// Every list of short options over two letters, in every order, against the plain reading of the rules.
func TestSelectExhaustively(t *testing.T) {
	words := []ByteString{"a", "b", "ab", "aa", "ba", "aab", "abb"}
	inputs := []string{"", "a", "b", "ab", "ba", "aa", "aab", "aaa", "abb", "abab", "bab"}
	var try func(list []ByteString)
	try = func(list []ByteString) {
		if len(list) > 0 {
			o := mustOptions(t, list...)
			for _, in := range inputs {
				want := -1
				for i, option := range list {
					if strings.HasPrefix(in, string(option)) {
						want = i
						break
					}
				}
				if got := NewBufferString(in).Select(o); got != want {
					t.Fatalf("%q on %q: %d, want %d", list, in, got, want)
				}
				if got, _ := NewBufferedSource(drip(in)).Select(o); got != want {
					t.Fatalf("source: %q on %q: %d, want %d", list, in, got, want)
				}
			}
		}
		if len(list) == 4 {
			return
		}
	next:
		for _, w := range words {
			for _, have := range list {
				if have == w {
					continue next
				}
			}
			try(append(list[:len(list):len(list)], w))
		}
	}
	try(nil)
}

func TestZeroOptions(t *testing.T) {
	var o Options
	var c Choices[string]
	for _, text := range []string{"", "abc"} {
		up := NewBufferString(text)
		if got := up.Select(&o); got != -1 {
			t.Error(got)
		}
		s := NewBufferedSource(up)
		if got, err := s.Select(&o); got != -1 || err != nil {
			t.Error(got, err)
		}
		if v, ok, err := c.Select(s); v != "" || ok || err != nil {
			t.Error(v, ok, err)
		}
		if up.Len() != int64(len(text)) {
			t.Errorf("%d bytes left", up.Len())
		}
		_ = s.Close()
		if _, _, err := c.Select(s); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
}

func TestChoices(t *testing.T) {
	type color string
	c, err := NewChoices([]color{"Red", "Green", "Blue"}, func(c color) ByteString { return ByteString(strings.ToLower(string(c))) })
	if err != nil {
		t.Fatal(err)
	}
	s := NewBufferedSource(NewBufferString("bluegreenyellow"))
	for _, want := range []color{"Blue", "Green"} {
		if v, ok, err := c.Select(s); v != want || !ok || err != nil {
			t.Error(v, ok, err)
		}
	}
	if v, ok, err := c.Select(s); v != "" || ok || err != nil {
		t.Error(v, ok, err)
	}
	if got := rest(t, s); got != "yellow" {
		t.Errorf("%q left", got)
	}
	if _, err := NewChoices([]int{1, 2}, func(int) ByteString { return "x" }); err == nil {
		t.Error("no error for duplicates")
	}
}
