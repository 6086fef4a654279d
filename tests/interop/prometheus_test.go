//go:build unix

package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	prometheus "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// prometheus is the client of Prometheus over the transport of a site.
func (s *site) prometheus(t *testing.T) prometheus.API {
	t.Helper()
	c, err := api.NewClient(api.Config{Address: s.url + "/", RoundTripper: s.transport})
	if err != nil {
		t.Fatal(err)
	}
	return prometheus.NewAPI(c)
}

// vector is a result, as far as it is of interest.
func vector(w http.ResponseWriter, r *http.Request, query string) {
	say(w, r, 200, map[string]any{"status": "success", "warnings": []string{"a warning"}, "data": map[string]any{
		"resultType": "vector", "result": []map[string]any{{"metric": map[string]string{"query": query}, "value": []any{1_000, "42.5"}}},
	}})
}

// TestPrometheusQueries asks by POST, and by GET where a server does not take that.
func TestPrometheusQueries(t *testing.T) {
	server := func(*testing.T) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /api/v1/query", func(w http.ResponseWriter, r *http.Request) {
			switch query := r.PostFormValue("query"); query {
			case "bad(":
				say(w, r, 400, map[string]any{"status": "error", "errorType": "bad_data", "error": "unclosed left parenthesis"})
			case "heavy":
				say(w, r, 422, map[string]any{"status": "error", "errorType": "execution", "error": "too many samples"})
			case "down":
				http.Error(w, "no upstream", http.StatusBadGateway)
			default:
				vector(w, r, query)
			}
		})
		mux.HandleFunc("/api/v1/query_range", func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				io.Copy(io.Discard, r.Body)
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			say(w, r, 200, map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": []map[string]any{{
				"metric": map[string]string{"query": r.FormValue("query"), "step": r.FormValue("step")},
				"values": [][]any{{1_000, "1"}, {1_060, "NaN"}, {1_120, "+Inf"}},
			}}}})
		})
		mux.HandleFunc("GET /api/v1/label/{name}/values", func(w http.ResponseWriter, r *http.Request) {
			say(w, r, 200, map[string]any{"status": "success", "data": []string{r.PathValue("name"), strings.Join(r.URL.Query()["match[]"], " ")}})
		})
		return mux
	}
	const query = `sum(rate(http_requests_total{job=~"ü+&=%", code!="200"}[5m])) by (le) > 0`
	dropIn(t, server, func(t *testing.T, s *site) {
		c, ctx, at := s.prometheus(t), t.Context(), time.Unix(1_000, 0)
		value, warnings, _, err := c.Query(ctx, query, at)
		if got, ok := value.(model.Vector); err != nil || !ok || len(got) != 1 || got[0].Value != 42.5 || got[0].Metric["query"] != query || len(warnings) != 1 {
			t.Errorf("%v, %v, %v", value, warnings, err)
		}
		value, _, _, err = c.QueryRange(ctx, query, prometheus.Range{Start: at, End: at.Add(2 * time.Minute), Step: time.Minute})
		if got, ok := value.(model.Matrix); err != nil || !ok || len(got) != 1 || len(got[0].Values) != 3 || got[0].Metric["query"] != query || got[0].Metric["step"] != "60" {
			t.Errorf("%v, %v", value, err)
		}
		values, _, _, err := c.LabelValues(ctx, "job name", []string{`up{a="b c"}`, "x"}, at, at)
		if got := fmt.Sprint(values); err != nil || got != `[job name up{a="b c"} x]` {
			t.Errorf("%s, %v", got, err)
		}
		for query, want := range map[string]prometheus.ErrorType{"bad(": prometheus.ErrBadData, "heavy": prometheus.ErrExec, "down": prometheus.ErrServer} {
			var failed *prometheus.Error
			if _, _, _, err := c.Query(ctx, query, at); !errors.As(err, &failed) || failed.Type != want {
				t.Errorf("%s: %v, want it to be of type %s", query, err, want)
			}
		}
	})
}

// TestPrometheusRepeats breaks a connection on which there was a response before. The client says of its POST, by the name of a header without
// values, that it may be sent again.
func TestPrometheusRepeats(t *testing.T) {
	server := func(*testing.T) http.Handler {
		var n atomic.Int32
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query := r.PostFormValue("query")
			if n.Add(1) == 2 {
				panic(http.ErrAbortHandler)
			}
			vector(w, r, query)
		})
	}
	dropInTimed(t, server, func(t *testing.T, s *site) {
		c := s.prometheus(t)
		for range 2 {
			if _, _, _, err := c.Query(t.Context(), "up", time.Unix(1_000, 0)); err != nil {
				t.Error(err)
			}
		}
		if n := len(s.log.all()); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
}

// TestPrometheusContext ends the context while the response is awaited, and while it is read: the client closes the body then, and another goroutine
// is reading it.
func TestPrometheusContext(t *testing.T) {
	server := func(*testing.T) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.PostFormValue("query") == "half" {
				io.WriteString(w, `{"status": "succ`)
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
	}
	dropInTimed(t, server, func(t *testing.T, s *site) {
		s.log.stop()
		c := s.prometheus(t)
		for _, query := range []string{"silent", "half"} {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			began := time.Now()
			if _, _, _, err := c.Query(ctx, query, began); !errors.Is(err, context.DeadlineExceeded) || seconds(began) != 5 {
				t.Errorf("%s: %v after %d s", query, err, seconds(began))
			}
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, stop)
			if _, _, _, err := c.Query(ctx, query, began); !errors.Is(err, context.Canceled) || seconds(began) != 6 {
				t.Errorf("%s: %v after %d s", query, err, seconds(began))
			}
		}
	})
}
