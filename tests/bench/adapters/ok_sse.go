package adapters

import (
	"context"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
	"github.com/okhttp-go/ok/tests/bench"
)

func init() { bench.Register("ok-sse", okSSE{}) }

// okSSE is this project: a loop over a stream, with all that a stream does.
type okSSE struct{}

func (okSSE) ReadSSE(ctx context.Context, url string, _ int) (events int, data int64, err error) {
	client := okhttp.New()
	defer func() { _ = client.Close() }()
	req, err := okhttp.NewRequest("GET", url)
	if err != nil {
		return 0, 0, err
	}
	for e, err := range oksse.NewStream(client, req, &oksse.Config{NoReconnect: true}).Events(ctx) {
		if err != nil {
			return events, data, err
		}
		events++
		data += int64(len(e.Data))
	}
	return events, data, nil
}
