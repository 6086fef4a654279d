package okhar_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// structure is what HAR 1.2 requires: for each object its fields, with their types. "?" is a field that may be missing, "[]x" a list of the
// objects x, and any other name an object of this table.
var structure = map[string]map[string]string{
	"file":     {"log": "log"},
	"log":      {"version": "string", "creator": "creator", "entries": "[]entry", "comment": "?string"},
	"creator":  {"name": "string", "version": "string", "comment": "?string"},
	"entry":    {"startedDateTime": "date", "time": "time", "request": "request", "response": "response", "cache": "cache", "timings": "timings", "serverIPAddress": "?string", "connection": "?string", "comment": "?string"},
	"request":  {"method": "string", "url": "string", "httpVersion": "string", "cookies": "[]cookie", "headers": "[]pair", "queryString": "[]pair", "postData": "?postData", "headersSize": "size", "bodySize": "size", "comment": "?string"},
	"response": {"status": "size", "statusText": "string", "httpVersion": "string", "cookies": "[]cookie", "headers": "[]pair", "content": "content", "redirectURL": "string", "headersSize": "size", "bodySize": "size", "comment": "?string"},
	"cookie":   {"name": "string", "value": "string", "path": "?string", "domain": "?string", "expires": "?date", "httpOnly": "?bool", "secure": "?bool", "comment": "?string"},
	"pair":     {"name": "string", "value": "string", "comment": "?string"},
	"postData": {"mimeType": "string", "params": "[]pair", "text": "string", "comment": "?string"},
	"content":  {"size": "size", "compression": "?number", "mimeType": "string", "text": "?string", "encoding": "?string", "comment": "?string"},
	"cache":    {},
	"timings":  {"blocked": "maybe", "dns": "maybe", "connect": "maybe", "send": "time", "wait": "time", "receive": "time", "ssl": "maybe", "comment": "?string"},
}

func checkStructure(t *testing.T, archive []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(archive, &v); err != nil {
		t.Fatal(err)
	}
	for _, line := range wrong("file", v, "file") {
		t.Error(line)
	}
}

// wrong returns what is wrong with a value.
func wrong(path string, v any, kind string) (list []string) {
	complain := func() []string { return append(list, fmt.Sprintf("%s: %v is no %s", path, v, kind)) }
	if element, ok := strings.CutPrefix(kind, "[]"); ok {
		items, ok := v.([]any)
		if !ok {
			return complain()
		}
		for i, item := range items {
			list = append(list, wrong(fmt.Sprintf("%s[%d]", path, i), item, element)...)
		}
		return list
	}
	n, isNumber := v.(float64)
	s, isString := v.(string)
	_, isBool := v.(bool)
	_, notDate := time.Parse(time.RFC3339, s)
	ok := true
	switch kind {
	case "string":
		ok = isString
	case "bool":
		ok = isBool
	case "date":
		ok = notDate == nil
	case "number":
		ok = isNumber && n == math.Trunc(n)
	case "size":
		ok = isNumber && n == math.Trunc(n) && n >= -1
	case "time":
		ok = isNumber && n >= 0
	case "maybe":
		ok = isNumber && (n >= 0 || n == -1)
	default:
		return append(list, wrongObject(path, v, kind)...)
	}
	if !ok {
		return complain()
	}
	return list
}

func wrongObject(path string, v any, kind string) (list []string) {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %v is no %s", path, v, kind)}
	}
	for name, kind := range structure[kind] {
		kind, optional := strings.CutPrefix(kind, "?")
		if field, has := object[name]; has {
			list = append(list, wrong(path+"."+name, field, kind)...)
		} else if !optional {
			list = append(list, path+": "+name+" is missing")
		}
	}
	for name := range object {
		if _, known := structure[kind][name]; !known && !strings.HasPrefix(name, "_") {
			list = append(list, path+": "+name+" is not of the format")
		}
	}
	if kind == "timings" {
		connect, _ := object["connect"].(float64)
		if ssl, _ := object["ssl"].(float64); ssl > connect {
			list = append(list, fmt.Sprintf("%s: ssl %v is more than connect %v", path, ssl, connect))
		}
	}
	if kind == "entry" {
		sum := 0.0
		parts, _ := object["timings"].(map[string]any)
		for name, part := range parts {
			if n, _ := part.(float64); n > 0 && name != "ssl" {
				sum += n
			}
		}
		if total, _ := object["time"].(float64); math.Abs(total-sum) > 0.01 { // each part is cut to microseconds
			list = append(list, fmt.Sprintf("%s: the timings add up to %v, not %v", path, sum, total))
		}
	}
	return list
}

// The check itself notices what is wrong.
func TestStructureCatches(t *testing.T) {
	const good = `{"log":{"version":"1.2","creator":{"name":"a","version":"b"},"entries":[]}}`
	for _, tt := range []struct{ file, want string }{
		{good, ""},
		{`{}`, "file: log is missing"},
		{`{"log":7}`, "file.log: 7 is no log"},
		{strings.Replace(good, `"1.2"`, `1.2`, 1), "file.log.version: 1.2 is no string"},
		{strings.Replace(good, `"name"`, `"title"`, 1), "file.log.creator: name is missing file.log.creator: title is not of the format"},
		{strings.Replace(good, `"entries":[]`, `"entries":{}`, 1), "file.log.entries: map[] is no []entry"},
	} {
		var v any
		if err := json.Unmarshal([]byte(tt.file), &v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(wrong("file", v, "file"), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.file, got, tt.want)
		}
	}
}
