package match

import (
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	bodies "github.com/okhttp-go/ok/mockserver/internal/content"
	"github.com/okhttp-go/ok/mockserver/internal/jsonpath"
	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
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
	return &matcher{text: word + strings.Join(strings.Fields(trim(document)), " "), err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		value, wrong := jsonOf(r)
		if wrong != nil {
			return wrong
		}
		var list []mockserver.Mismatch
		for _, d := range jsonvalue.Differences(want, value, allowed) {
			far := 0.5
			if !d.Missing {
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
func JSONPath(path string, p Pattern) mockserver.Matcher {
	parsed, err := jsonpath.Parse(path)
	if err == nil {
		err = p.err
	}
	what := "body at " + path
	return &matcher{text: what + " " + p.String(), err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		value, wrong := jsonOf(r)
		if wrong != nil {
			return wrong
		}
		found, err := parsed.Select(value)
		if err != nil {
			return one(what, p.String(), err.Error(), 1)
		}
		return valuesMatcher(what, p, false, func(*mockserver.Request) []string { return texts(found) }).match(r)
	}}
}

// JSONPathIs matches requests whose body is JSON in which the path selects a value that is that JSON, as [JSON] compares it.
func JSONPathIs(path, document string) mockserver.Matcher {
	parsed, err := jsonpath.Parse(path)
	var want any
	if err == nil {
		if want, err = jsonvalue.Parse([]byte(document)); err != nil {
			err = fmt.Errorf("match: JSON %s: %w", short(document), err)
		}
	}
	what := "body at " + path
	return &matcher{text: what + " " + trim(document), err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		value, wrong := jsonOf(r)
		if wrong != nil {
			return wrong
		}
		found, err := parsed.Select(value)
		if err != nil {
			return one(what, trim(document), err.Error(), 1)
		}
		for _, value := range found {
			if jsonvalue.Equal(want, value) {
				return nil
			}
		}
		if len(found) == 0 {
			return one(what, trim(document), "missing", 1)
		}
		came := jsonvalue.Short(found[0])
		return one(what, trim(document), came, distance(trim(document), came))
	}}
}

func texts(values []any) []string {
	list := make([]string, len(values))
	for i, value := range values {
		if text, ok := value.(string); ok {
			list[i] = text
		} else {
			list[i] = jsonvalue.Text(value)
		}
	}
	return list
}
