package bench

import (
	"encoding/json"
	"os"
)

// A Row is what one peer did in one case, repetition by repetition: element i of every peer ran within seconds of the others, and 0 stands where a
// repetition failed. The files of rows are what plots and bars are made from.
type Row struct {
	Scenario string    `json:"scenario"`
	Case     string    `json:"case"`
	Peer     string    `json:"peer"`
	Unit     string    `json:"unit"`             // of Rate
	Rate     []float64 `json:"rate"`             // more is better
	CPU      []float64 `json:"cpu,omitempty"`    // of the client process, µs an operation
	Allocs   []float64 `json:"allocs,omitempty"` // an operation; negative where it is not known
	Bytes    []float64 `json:"bytes,omitempty"`  // allocated an operation; negative where it is not known
	RSS      []float64 `json:"rss,omitempty"`    // MiB that the peak of resident memory grew by
}

// Append writes the row as one line of JSON to the end of the file; no name, no line.
func (r Row) Append(file string) error {
	if file == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
