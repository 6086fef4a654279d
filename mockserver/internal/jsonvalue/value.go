// Package jsonvalue compares values of JSON. They are those of encoding/json with numbers as json.Number.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
)

// MaxDepth bounds how deep arrays and objects may be within each other.
const MaxDepth = 1000

// Parse reads one value and nothing after it.
func Parse(text []byte) (any, error) {
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, errors.New("JSON that ends too early")
		}
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// MoreThan reports whether a text of JSON has more values than most, counted by what begins and separates them, and so without the memory that they take.
func MoreThan(text []byte, most int) bool {
	values, quoted := 1, false
	for i := 0; i < len(text) && values <= most; i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{' || c == ',':
			values++
		}
	}
	return values > most
}

// checkDepth goes over the text before memory is spent on it.
func checkDepth(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return fmt.Errorf("JSON of more than %d levels", MaxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// Equal reports whether two values are the same. Numbers are compared by their value: 1, 1.0 and 10e-1 are equal.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && CompareNumbers(a, b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, Equal)
	case nil, bool, string:
		return reflect.TypeOf(a) == reflect.TypeOf(b) && a == b
	}
	return false
}
