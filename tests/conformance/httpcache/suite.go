package httpcache

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// A Suite is a group of cases.
type Suite struct {
	Name, ID string
	Tests    []*Test
}

// A Test is one case: requests one after another, and what the origin says to them.
type Test struct {
	Name, ID, Kind string
	DependsOn      []string `json:"depends_on"`
	BrowserOnly    bool     `json:"browser_only"`
	BrowserSkip    bool     `json:"browser_skip"`
	CDNOnly        bool     `json:"cdn_only"`
	Requests       []Req
}

// A Req is one step, with those of its fields that the table uses.
type Req struct {
	Method          string   `json:"request_method"`
	ReqHeaders      [][]any  `json:"request_headers"`
	ReqBody         *string  `json:"request_body"`
	MagicIMS        bool     `json:"magic_ims"`
	Filename        string   `json:"filename"`
	Cache           string   `json:"cache"`
	QueryArg        string   `json:"query_arg"`
	PauseAfter      bool     `json:"pause_after"`
	Disconnect      bool     `json:"disconnect"`
	MagicLocations  bool     `json:"magic_locations"`
	RFC850          []string `json:"rfc850date"`
	ResponsePause   float64  `json:"response_pause"`
	RespStatus      []any    `json:"response_status"`
	RespHeaders     [][]any  `json:"response_headers"`
	RespBody        *string  `json:"response_body"`
	hasRespBody     bool
	Interim         []json.RawMessage `json:"interim_responses"`
	CheckBody       *bool             `json:"check_body"`
	Setup           bool              `json:"setup"`
	SetupTests      []string          `json:"setup_tests"`
	ExpType         string            `json:"expected_type"`
	ExpMethod       string            `json:"expected_method"`
	ExpStatus       json.RawMessage   `json:"expected_status"`
	ExpReqHeaders   []any             `json:"expected_request_headers"`
	ExpReqMissing   []any             `json:"expected_request_headers_missing"`
	ExpRespHeaders  []any             `json:"expected_response_headers"`
	ExpRespMissing  []any             `json:"expected_response_headers_missing"`
	ExpRespText     json.RawMessage   `json:"expected_response_text"`
	ExpInterim      []json.RawMessage `json:"expected_interim_responses"`
	hasExpInterim   bool
	hasRespBodyNull bool
}

// UnmarshalJSON also finds out what is there and null.
func (r *Req) UnmarshalJSON(b []byte) error {
	type plain Req
	if err := json.Unmarshal(b, (*plain)(r)); err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		return err
	}
	_, r.hasExpInterim = keys["expected_interim_responses"]
	if v, ok := keys["response_body"]; ok {
		r.hasRespBody, r.hasRespBodyNull = true, string(v) == "null"
	}
	return nil
}

// Load reads the table.
func Load(file string) (s []Suite, err error) {
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return
}

// The outcomes, as the suite calls them.
const (
	Pass, Fail, OptionalFail, Yes, No             = "pass", "fail", "optional_fail", "yes", "no"
	SetupFail, HarnessFail, DependencyFail, Retry = "setup_fail", "harness_fail", "dependency_fail", "retry"
)

// A Result is what came of a case.
type Result struct {
	Kind, Outcome, Detail string
	raw                   *failure
}

type failure struct{ name, msg string }

func (f *failure) Error() string { return f.name + ": " + f.msg }

// Options say which cases run and how.
type Options struct {
	Private bool // run the browser (private cache) selection instead of the proxy one
	Pause   time.Duration
	Only    string // one test id
	Trace   io.Writer
}

// Run returns one result per test id.
func Run(suites []Suite, rt http.RoundTripper, o Options) (map[string]Result, error) {
	if o.Pause == 0 {
		o.Pause = 3 * time.Second
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	s := &origin{cfg: map[string]*run{}}
	go s.serve(l)
	all := map[string]*Test{}
	var todo []*Test
	for _, su := range suites {
		for _, t := range su.Tests {
			all[t.ID] = t
			if t.BrowserOnly && !o.Private || o.Private && (t.CDNOnly || t.BrowserSkip) || o.Only != "" && t.ID != o.Only {
				continue
			}
			todo = append(todo, t)
		}
	}
	raw := map[string]*failure{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, t := range todo {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 3 * time.Millisecond)
			f := s.test(t, rt, "http://"+l.Addr().String(), o)
			mu.Lock()
			raw[t.ID] = f
			mu.Unlock()
		}()
	}
	wg.Wait()
	out := map[string]Result{}
	for _, t := range todo {
		k := t.Kind
		if k == "" {
			k = "required"
		}
		r := Result{Kind: k, Outcome: outcome(all, raw, t.ID), raw: raw[t.ID]}
		if r.raw != nil {
			r.Detail = r.raw.msg
		}
		out[t.ID] = r
	}
	return out, nil
}

func outcome(all map[string]*Test, raw map[string]*failure, id string) string {
	f, ran := raw[id]
	if !ran {
		return "untested"
	}
	t := all[id]
	for _, d := range t.DependsOn {
		if o := outcome(all, raw, d); o != Pass && o != Yes {
			return DependencyFail
		}
	}
	if f != nil && f.name == "Setup" {
		if f.msg == "retry" {
			return Retry
		}
		return SetupFail
	}
	if f != nil && f.name == "AbortError" {
		return HarnessFail
	}
	switch {
	case t.Kind == "check" && f == nil:
		return Yes
	case t.Kind == "check":
		return No
	case f == nil:
		return Pass
	case t.Kind == "optimal":
		return OptionalFail
	}
	return Fail
}

// Count counts the results by kind and outcome.
func Count(r map[string]Result) map[string]map[string]int {
	m := map[string]map[string]int{}
	for _, x := range r {
		if m[x.Kind] == nil {
			m[x.Kind] = map[string]int{}
		}
		m[x.Kind][x.Outcome]++
	}
	return m
}
