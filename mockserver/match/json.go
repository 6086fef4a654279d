package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	bodies "github.com/okhttp-go/ok/mockserver/internal/content"
	"github.com/okhttp-go/ok/mockserver/internal/jsonpath"
	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// JSON matches requests whose body is that JSON. A body of more than 262,144 values is not compared, and does not match. The order of members, blanks and the way in which numbers are written (1, 1.0) make no difference.
func JSON(document string) mockserver.Matcher { return JSONWith(document, JSONRules{}) }

// JSONSubset matches requests whose body has all of that JSON: objects may have more members. Arrays have to be of the same length; see [JSONWith].
func JSONSubset(document string) mockserver.Matcher {
	return JSONWith(document, JSONRules{ExtraMembers: true})
}

// JSONRules say how a body of JSON may differ from the one that is expected.
type JSONRules struct {
	// ExtraMembers lets objects have members that are not expected.
	ExtraMembers bool
	// ExtraElements lets arrays have elements that are not expected: behind the others, or with AnyOrder anywhere.
	ExtraElements bool
	// AnyOrder ignores the order of arrays.
	AnyOrder bool
}

// JSONWith is [JSON] with less strict rules.
func JSONWith(document string, rules JSONRules) mockserver.Matcher {
	want, err := jsonvalue.Parse([]byte(document))
	if err != nil {
		err = fmt.Errorf("match: JSON %s: %w", short(document), err)
	}
	word := "body of JSON "
	if rules != (JSONRules{}) {
		word = "body of JSON like "
	}
	allowed := jsonvalue.Rules{ExtraMembers: rules.ExtraMembers, ExtraElements: rules.ExtraElements, AnyOrder: rules.AnyOrder}
	return &matcher{text: word + strings.Join(strings.Fields(trim(shownJSON(document, want))), " "), err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		value, wrong := jsonOf(r)
		if wrong != nil {
			return wrong
		}
		var list []mockserver.Mismatch
		for _, d := range jsonvalue.Differences(want, value, allowed) {
			far := 0.5
			if !d.Missing && !d.Hidden {
				far = distance(d.Want, d.Got)
			}
			list = append(list, mockserver.Mismatch{What: "body at " + d.Path, Want: d.Want, Got: d.Got, Distance: far})
		}
		return spread(list)
	}}
}

// spread makes the differences of one body weigh less together than another path or method.
func spread(list []mockserver.Mismatch) []mockserver.Mismatch {
	sum := 0.0
	for _, m := range list {
		sum += m.Distance
	}
	for i := range list {
		list[i].Distance *= 0.5 / max(sum, 1)
	}
	return list
}

// shownJSON is a document without its secrets. One that is no JSON has no value.
func shownJSON(document string, value any) string {
	if value == nil {
		return target.Text(document)
	}
	if text, redacted := jsonvalue.Shown(value); redacted {
		return text
	}
	return document
}

func trim(text string) string {
	if len(text) > bodies.Shown {
		return strings.ToValidUTF8(text[:bodies.Shown], "") + "…"
	}
	return text
}

// JSONPath matches requests whose body is JSON in which the path (RFC 9535) selects a value that p describes. A string is compared as it is, other values
// as they are written in JSON without blanks. [Absent] wants the path to select nothing.
//
// A filter [?…] asks the elements of an array or the members of an object, as the RFC has it. Beyond it [??…] asks an object itself, as WireMock does:
// $.user[??@.name=='ann'] selects the user whose name that is.
//
// Reports show neither values of members that are called like a secret, nor, if the path names one, what its filters compare with.
func JSONPath(path string, p Pattern) mockserver.Matcher {
	parsed, err := jsonpath.Parse(path)
	if err == nil {
		err = p.err
	}
	what := "body at " + jsonpath.Shown(path)
	return &matcher{text: what + " " + p.shown(err == nil && parsed.Secret()), err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		value, wrong := jsonOf(r)
		if wrong != nil {
			return wrong
		}
		found, err := parsed.Nodes(value)
		if err != nil {
			return one(what, p.shown(parsed.Secret()), err.Error(), 1)
		}
		return valuesMatcher(what, p, parsed.Secret() || secretIn(found), func(*mockserver.Request) []string { return texts(found) }).match(r)
	}}
}

// JSONPathIs matches requests whose body is JSON in which the path selects a value that is that JSON, as [JSON] compares it.
func JSONPathIs(path, document string) mockserver.Matcher {
	parsed, err := jsonpath.Parse(path)
	var want any
	what, expected := "body at "+jsonpath.Shown(path), trim(target.Text(document))
	if err == nil {
		want, err = jsonvalue.Parse([]byte(document))
		if expected = trim(shownJSON(document, want)); parsed.Secret() {
			expected = "a certain value"
		}
		if err != nil {
			err = fmt.Errorf("match: JSON, %s: %w", expected, err)
		}
	}
	return &matcher{text: what + " " + expected, err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		value, wrong := jsonOf(r)
		if wrong != nil {
			return wrong
		}
		found, err := parsed.Nodes(value)
		if err != nil {
			return one(what, expected, err.Error(), 1)
		}
		for _, node := range found {
			if jsonvalue.Equal(want, node.Value) {
				return nil
			}
		}
		switch {
		case len(found) == 0:
			return one(what, expected, "missing", 1)
		case secretIn(found):
			return one(what, "a certain value", anotherOf(jsonvalue.Text(found[0].Value)), 0.5)
		}
		came := jsonvalue.Short(found[0].Value)
		return one(what, expected, came, distance(expected, came))
	}}
}

// secretIn reports whether one of the values is a secret. Then none is shown: a path that selects some of each is not worth a report in parts.
func secretIn(nodes []jsonpath.Node) bool {
	return slices.ContainsFunc(nodes, func(n jsonpath.Node) bool { return n.Secret })
}

func texts(nodes []jsonpath.Node) []string {
	list := make([]string, len(nodes))
	for i, node := range nodes {
		if text, ok := node.Value.(string); ok {
			list[i] = text
		} else {
			list[i] = jsonvalue.Text(node.Value)
		}
	}
	return list
}
