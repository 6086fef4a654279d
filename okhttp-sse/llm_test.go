package oksse

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// chunk is what the answers have in common with what a program makes of them: the next piece of the text, and why there is no more.
type chunk struct {
	Choices []struct {
		Delta        struct{ Content string }
		FinishReason string `json:"finish_reason"`
	}
	Delta struct {
		Text        string
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	}
	Error struct{ Message string }

	Candidates []struct {
		Content      struct{ Parts []struct{ Text string } }
		FinishReason string `json:"finishReason"`
	}
}

// answer is an answer put together.
type answer struct {
	text, tool, stop, fault string
	types                   []string
	done                    bool
}

func (a *answer) add(t *testing.T, e Event) {
	t.Helper()
	a.types = append(a.types, e.Type)
	if e.Data == "[DONE]" {
		a.done = true
		return
	}
	var c chunk
	if err := json.Unmarshal([]byte(e.Data), &c); err != nil {
		t.Fatalf("%v in %s", err, e.Data)
	}
	a.text += c.Delta.Text
	a.tool += c.Delta.PartialJSON
	a.stop += c.Delta.StopReason
	a.fault += c.Error.Message
	for _, choice := range c.Choices {
		a.text += choice.Delta.Content
		a.stop += choice.FinishReason
	}
	for _, candidate := range c.Candidates {
		for _, part := range candidate.Content.Parts {
			a.text += part.Text
		}
		a.stop += candidate.FinishReason
	}
}

// Streams of models, asked for by POST, decode to what they say, in whatever pieces they come. They are not asked for twice.
func TestAnswersOfModels(t *testing.T) {
	const text = "The tide turns —\nslowly 🌊: \"data: x\""
	for file, want := range map[string]answer{
		"completions.sse": {text: text, stop: "stop", done: true, types: make([]string, 7)},
		"messages.sse":    {text: text, tool: `{"port": "Dublin"}`, stop: "tool_use", types: make([]string, 13)},
		"candidates.sse":  {text: text, stop: "STOP", types: make([]string, 3)},
		"overloaded.sse":  {text: "The", fault: "try later", types: make([]string, 3)},
	} {
		stream, err := os.ReadFile(filepath.Join("testdata/llm", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 7, 100, 1 << 20} {
			inScene(t, func(t *testing.T, s *scene) {
				question, err := okhttp.JSON(map[string]any{"stream": true, "prompt": "What of the tide?"})
				if err != nil {
					t.Fatal(err)
				}
				var got answer
				for e, err := range NewStream(s.client, s.post(question), nil).Events(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					got.add(t, e)
				}
				if got.text != want.text || got.tool != want.tool || got.stop != want.stop || got.fault != want.fault || got.done != want.done || len(got.types) != len(want.types) {
					t.Errorf("%s in pieces of %d: %+v\nwant %+v", file, size, got, want)
				}
				if first, last := got.types[0], got.types[len(got.types)-1]; file == "messages.sse" && (first != "message_start" || last != "message_stop") {
					t.Errorf("from %s to %s", first, last)
				}
				s.wantVisits("0s:-")
			}, func(w http.ResponseWriter, r *http.Request) {
				if asked, _ := io.ReadAll(r.Body); !strings.Contains(string(asked), `"stream":true`) || r.Method != "POST" {
					t.Errorf("asked by %s for %s", r.Method, asked)
				}
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				for rest := stream; len(rest) > 0; {
					n := min(size, len(rest))
					w.Write(rest[:n])
					http.NewResponseController(w).Flush()
					rest = rest[n:]
				}
			})
		}
	}
}
