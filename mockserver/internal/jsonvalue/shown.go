package jsonvalue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// shortest is how much of a value is shown.
const shortest = 100

// abridged returns the beginning of a value without its secrets, so that no more is written than is shown; left is about how many bytes that still has.
func abridged(value any, left *int) any {
	switch v := value.(type) {
	case string:
		if len(v) > *left {
			v = strings.ToValidUTF8(v[:max(*left, 0)], "")
		}
		*left -= len(v) + 2
		return target.Text(v)
	case []any:
		list := []any{}
		for _, one := range v {
			if *left < 0 {
				break
			}
			list = append(list, abridged(one, left))
			*left--
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *left < 0 {
				break
			}
			*left -= len(name) + 4
			if v[name] != nil && target.Secret(name) {
				object[name] = target.Redacted
			} else {
				object[name] = abridged(v[name], left)
			}
		}
		return object
	}
	*left -= 4
	return value
}

// Short writes a value in JSON, of 100 bytes at the most, without the secrets in it: values of members that are called so, and what [target.Text] finds in strings.
func Short(value any) string {
	left := 10 * shortest
	text := Text(abridged(value, &left))
	if len(text) > shortest {
		return strings.ToValidUTF8(text[:shortest], "") + "…"
	}
	return text
}

// Shown writes the whole of a value without its secrets. It reports false, and writes nothing, if it has none.
func Shown(value any) (text string, redacted bool) {
	left := math.MaxInt
	shown := abridged(value, &left)
	if Equal(value, shown) {
		return "", false
	}
	return Text(shown), true
}

// certain says what was expected of a secret.
func certain(value any) string {
	if value == nil {
		return "null"
	}
	return "a certain " + kindOf(value)
}

// another says what came in the place of a secret.
func another(want, got any) string {
	switch kind := kindOf(got); {
	case got == nil:
		return kind
	case kind == kindOf(want):
		return "another " + kind + ", hidden"
	case kind == "array" || kind == "object":
		return "an " + kind + ", hidden"
	default:
		return "a " + kind + ", hidden"
	}
}

// shortOf is what [Short] writes of a member.
func shortOf(name string, value any) string {
	if target.Secret(name) {
		return another(nil, value)
	}
	return Short(value)
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// Text writes a value in JSON.
func Text(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
