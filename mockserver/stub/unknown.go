package stub

import (
	"slices"
	"strings"
)

// wireMock are keys of WireMock's mappings that a stub does not have.
var wireMock = []string{
	"mappings", "uuid", "url", "urlPath", "urlPattern", "urlPathPattern", "urlPathTemplate", "queryParameters", "pathParameters", "formParameters", "basicAuthCredentials",
	"bodyPatterns", "multipartPatterns", "equalTo", "doesNotContain", "matches", "doesNotMatch", "absent", "equalToJson", "matchesJsonPath", "binaryEqualTo", "statusMessage",
	"jsonBody", "base64Body", "bodyFileName", "fixedDelayMilliseconds", "delayDistribution", "chunkedDribbleDelay", "fault", "transformers", "scenarioName",
	"requiredScenarioState", "newScenarioState",
}

// unknown says what may have been meant by a key that is none of the known ones.
func unknown(key string, known []string, wire bool) string {
	of := "xpected one of " + strings.Join(known, ", ")
	if !wire && slices.Contains(wireMock, key) {
		return "unknown key: it is one of WireMock, whose mappings \"mockserver import\" turns into stubs; e" + of
	}
	best, least := "", 3 // three mistakes are another word
	for _, name := range known {
		if d := distance(strings.ToLower(key), strings.ToLower(name), least); d < least && d < len(name)/2+1 {
			best, least = name, d
		}
	}
	if best != "" {
		return "unknown key: did you mean " + best + "? E" + of
	}
	return "unknown key: e" + of
}

// distance counts how many letters are added, dropped, changed or swapped between two words, up to most.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
