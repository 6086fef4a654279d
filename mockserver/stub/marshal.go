package stub

import (
	"bytes"
	"encoding/json"
	"time"
)

// Marshal writes stubs as a file: one by itself, several and none as a list.
func Marshal(stubs ...Stub) ([]byte, error) {
	var all any = stubs
	switch len(stubs) {
	case 0:
		all = []Stub{}
	case 1:
		all = stubs[0]
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// MarshalJSON writes one response as "response".
func (s Stub) MarshalJSON() ([]byte, error) {
	type plain Stub
	if len(s.Responses) != 1 {
		return marshal(plain(s))
	}
	one := struct {
		Name     string    `json:"name,omitempty"`
		Priority int       `json:"priority,omitempty"`
		Request  Request   `json:"request,omitzero"`
		Response Response  `json:"response"`
		Times    int       `json:"times,omitempty"`
		Scenario *Scenario `json:"scenario,omitempty"`
		After    Duration  `json:"after,omitzero"`
		Until    Duration  `json:"until,omitzero"`
		Recorded *Recorded `json:"recorded,omitempty"`
	}{s.Name, s.Priority, s.Request, s.Responses[0], s.Times, s.Scenario, s.After, s.Until, s.Recorded}
	return marshal(one)
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// MarshalJSON writes a text that has only to be equal as a string.
func (t Text) MarshalJSON() ([]byte, error) {
	type plain Text
	if only := (Text{Equal: t.Equal}); t.Equal != nil && t.same(only) {
		return marshal(*t.Equal)
	}
	return marshal(plain(t))
}

func (t Text) same(o Text) bool {
	a, b := []any{t.Equal, t.EqualFold, t.Contains, t.Prefix, t.Suffix, t.Regexp, t.Present, t.Not}, []any{o.Equal, o.EqualFold, o.Contains, o.Prefix, o.Suffix, o.Regexp, o.Present, o.Not}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(t.All)+len(t.Any)+len(o.All)+len(o.Any) == 0
}

// MarshalJSON writes the value, if there is one, or the text.
func (v JSONValue) MarshalJSON() ([]byte, error) {
	if v.JSON != nil {
		return marshal(map[string]json.RawMessage{"json": v.JSON})
	}
	return v.Text.MarshalJSON()
}

// MarshalJSON writes chunks without sizes as true.
func (c Chunks) MarshalJSON() ([]byte, error) {
	if len(c) == 0 {
		return []byte("true"), nil
	}
	return marshal([]int64(c))
}

// MarshalJSON writes a string.
func (d Duration) MarshalJSON() ([]byte, error) { return marshal(time.Duration(d).String()) }

// MarshalJSON writes a string, or an object for a time at random.
func (d Delay) MarshalJSON() ([]byte, error) {
	switch {
	case d.Median > 0:
		around := map[string]any{"median": d.Median, "sigma": d.Sigma}
		if d.Max > 0 {
			around["max"] = d.Max
		}
		return marshal(around)
	case d.To > 0:
		return marshal(map[string]any{"from": d.From, "to": d.To})
	}
	return marshal(d.Fixed)
}

// MarshalJSON writes an object. The values of a name that is there more than once become a list at its first place.
func (f Fields) MarshalJSON() ([]byte, error) {
	var names []string
	values := map[string][]string{}
	for i := 0; i+1 < len(f); i += 2 {
		if values[f[i]] == nil {
			names = append(names, f[i])
		}
		values[f[i]] = append(values[f[i]], f[i+1])
	}
	b := []byte("{")
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := marshal(name)
		if err != nil {
			return nil, err
		}
		var text []byte
		if len(values[name]) == 1 {
			text, err = marshal(values[name][0])
		} else {
			text, err = marshal(values[name])
		}
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), text...)
	}
	return append(b, '}'), nil
}
