package match

// compared bounds the length of texts whose distance is computed; longer ones are compared by their beginnings.
const compared = 128

// distance is how far two texts are from each other: the number of bytes to insert, delete and replace (Levenshtein), per length of the longer
// one. It is between 0, for equal beginnings, and 1.
func distance(a, b string) float64 {
	cut := len(a) > compared || len(b) > compared
	a, b = a[:min(len(a), compared)], b[:min(len(b), compared)]
	if a == b {
		if cut {
			return 0.1 // they differ behind what was compared
		}
		return 0
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return float64(row[len(b)]) / float64(max(len(a), len(b)))
}
