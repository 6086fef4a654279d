package stub

import (
	"errors"
	"time"

	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// maxFile bounds a stub file, in bytes.
const maxFile = 16 << 20

// MaxStubs is how many stubs a file has at the most, and a folder of files together.
const MaxStubs = 10_000

// Parse reads the stubs of a file. The name is for errors, which are [Errors].
func Parse(name string, text []byte) ([]Stub, error) {
	rd := &reader{file: name, text: text}
	root := rd.tree()
	if root == nil {
		return nil, rd.err()
	}
	list := []value{{root, rd, ""}}
	switch {
	case root.Kind == jsontree.Array:
		list = list[0].list()
	case root.Kind == jsontree.Object && root.Get("stubs") != nil:
		v := list[0]
		list = nil
		v.keys(map[string]func(value){"stubs": func(v value) { list = v.list() }})
	}
	var stubs []Stub
	if len(list) > MaxStubs {
		rd.fail(0, "", "expected at most %d stubs but there are %d", MaxStubs, len(list))
		list = nil
	}
	for _, v := range list {
		stubs = append(stubs, v.stub())
	}
	if err := rd.err(); err != nil {
		return nil, err
	}
	return stubs, nil
}

// tree reads the JSON of the file, nil if it is none.
func (rd *reader) tree() *jsontree.Node {
	if len(rd.text) > maxFile {
		rd.fail(0, "", "expected at most %d bytes but there are more", maxFile)
		return nil
	}
	root, err := jsontree.Parse(rd.text)
	if wrong := (*jsontree.SyntaxError)(nil); errors.As(err, &wrong) {
		rd.fail(wrong.Offset, wrong.Path, "%s", wrong.Detail)
		return nil
	}
	return root
}

// stub reads one stub.
func (v value) stub() (s Stub) {
	s.at = v.place()
	begun := len(v.rd.errs)
	v.keys(map[string]func(value){
		"name":     func(v value) { s.Name = v.str() },
		"priority": func(v value) { s.Priority = int(v.integer(-1<<31, 1<<31-1)) },
		"request":  func(v value) { s.Request = v.request() },
		"response": func(v value) { s.Responses = append(s.Responses, v.response()) },
		"responses": func(v value) {
			for _, one := range v.list() {
				s.Responses = append(s.Responses, one.response())
			}
		},
		"times":    func(v value) { s.Times = int(v.integer(1, 1<<31-1)) },
		"scenario": func(v value) { s.Scenario = v.scenario() },
		"after":    func(v value) { s.After = v.duration() },
		"until":    func(v value) { s.Until = v.duration() },
		"recorded": func(v value) { s.Recorded = v.recorded() },
	})
	switch {
	case v.Kind != jsontree.Object || len(v.rd.errs) > begun:
	case v.Get("response") != nil && v.Get("responses") != nil:
		v.fail("expected response or responses but got both")
	case len(s.Responses) == 0:
		v.fail("expected a response")
	default:
		v.starts(&s)
		if len(v.rd.errs) > begun {
			return s
		}
		r, err := s.route("", nil)
		if err == nil {
			err = route.New(r).Err()
		}
		if err == nil {
			err = match.Err(r.Match)
		}
		if err != nil {
			v.fail("%v", err)
		}
	}
	return s
}

// starts complains about effects on connections of a stub that is chosen by what is only known later.
func (v value) starts(s *Stub) {
	if match.AtAccept(s.Request.Matcher()) {
		return
	}
	responses := []value{v.at("response")}
	if list := v.Get("responses"); list != nil {
		responses = value{list, v.rd, v.member("responses")}.list()
	}
	for i, one := range responses {
		if !s.Responses[i].plain().StartsConnection() {
			continue
		}
		for _, e := range one.at("effects").list() {
			if at := e.at("at"); at.Text == "requestStart" {
				at.fail("an effect that cannot strike: when a connection is accepted no request is known yet, and this stub looks at it; expected requestHead")
			}
		}
	}
}

func (v value) scenario() *Scenario {
	s := new(Scenario)
	v.keys(map[string]func(value){
		"name": func(v value) { s.Name = v.str() },
		"when": func(v value) { s.When = v.str() },
		"then": func(v value) { s.Then = v.str() },
	})
	if v.Kind == jsontree.Object && s.Name == "" {
		v.fail("expected a name")
	}
	return s
}

func (v value) recorded() *Recorded {
	r := new(Recorded)
	v.keys(map[string]func(value){
		"origin": func(v value) { r.Origin = v.str() },
		"at": func(v value) {
			at, err := time.Parse(time.RFC3339Nano, v.str())
			if r.At = at; err != nil && v.Kind == jsontree.String {
				v.fail("expected a time such as %q but it is %q", "2026-01-31T12:00:00Z", v.Text)
			}
		},
		"latency": func(v value) { r.Latency = v.duration() },
	})
	return r
}

// Where says in which file, at which line and key a stub stands.
func (s Stub) Where() string {
	if s.at == (place{}) {
		return "stub " + s.Name
	}
	return s.at.String()
}
