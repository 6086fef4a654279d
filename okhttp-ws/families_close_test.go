package okws

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// Family 7: the end.
func TestFamilyClose(t *testing.T) {
	long := strings.Repeat("*", 123)
	cases := []familyCase{
		{"message before", []sent{{0x81, "Hello"}, closes}, []string{"text Hello"}, answered, byPeer},
		{"message after", []sent{closes, {0x81, "Hello"}}, nil, answered, byPeer},
		{"ping after", []sent{closes, {0x89, "?"}}, nil, answered, byPeer},
		{"close after", []sent{closes, {0x88, "\x03\xe9"}}, nil, answered, byPeer},
		{"unfinished message after", []sent{{0x01, "frag"}, closes, {0x80, "ment"}}, nil, answered, byPeer},
		{"much after", []sent{closes, {0x82, strings.Repeat("*", 200000)}}, nil, answered, byPeer},
		{"empty", []sent{{0x88, ""}}, nil, []string{"close"}, "closed by the peer: 1005"},
		{"one byte", []sent{{0x88, "\x03"}}, nil, refused, "Malformed close payload length of 1."},
		{"code alone", []sent{closes}, nil, answered, byPeer},
		{"reason", []sent{{0x88, normal + "Hello World!"}}, nil, answered, byPeer + ` "Hello World!"`},
		{"longest reason", []sent{{0x88, normal + long}}, nil, answered, byPeer + ` "` + long},
		{"longer reason", []sent{{0x88, normal + long + "*"}}, nil, refused, "Control frame must be less than 125B."},
		{"reason that is no text", []sent{{0x88, normal + "\xce\xba\xed\xa0\x80"}}, nil, []string{"close 1007"}, "the reason in a close frame is not UTF-8"},
		{"reason that is cut", []sent{{0x88, normal + "\xce"}}, nil, []string{"close 1007"}, "the reason in a close frame is not UTF-8"},
	}
	for _, code := range []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999} {
		cases = append(cases, familyCase{fmt.Sprint(code), []sent{{0x88, string([]byte{byte(code >> 8), byte(code)})}}, nil,
			[]string{fmt.Sprint("close ", code)}, fmt.Sprint("closed by the peer: ", code)})
	}
	for _, code := range []int{0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535} {
		cases = append(cases, familyCase{"not " + fmt.Sprint(code), []sent{{0x88, string([]byte{byte(code >> 8), byte(code)})}}, nil, refused, "protocol error: Code "})
	}
	run(t, cases)
}

// An end that has sent its close frame still hears what comes before the peer's, where somebody reads, and sends no second one, nor pongs.
func TestFamilyCloseFirst(t *testing.T) {
	for _, client := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			c, h := end(t, client, nil, extensions{})
			answers := make(chan []string, 1)
			go func() { answers <- h.controls() }()
			heard := make(chan string, 10)
			go func() {
				for m, err := range c.Messages(background()) {
					if err != nil {
						heard <- err.Error()
					}
					heard <- m.Text()
				}
				close(heard)
			}()
			synctest.Wait()
			closed := make(chan error, 1)
			go func() { closed <- c.Close(4000, "first") }()
			for _, f := range []sent{{0x81, "still there"}, {0x89, "?"}, {0x01, "fr"}, {0x80, "ag"}, {0x81, "more"}, closes} {
				synctest.Wait()
				h.write(f.wire(!client))
			}
			must(t, <-closed)
			var all []string
			for m := range heard {
				all = append(all, m)
			}
			if got := <-answers; !slices.Equal(got, []string{"close 4000 first"}) {
				t.Errorf("client %v: it sent %q", client, got)
			}
			if !slices.Equal(all, []string{"still there", "frag", "more"}) {
				t.Errorf("client %v: heard %q", client, all)
			}
			wantClose(t, c.Err(), CodeNormal, "")
		})
	}
}
