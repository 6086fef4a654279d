package oksse

import (
	"errors"
	"net/http"
)

// Handler is an [http.Handler] that answers with streams of events.
type Handler struct {
	// Serve writes one stream, which ends when it returns. The client then connects again, and does so whenever the stream breaks; [Writer.LastEventID] is where it
	// wants to go on from. To make it stay away, answer with 204 (No Content) instead of a stream, in a handler around this one.
	// Read the body of a request there too: net/http drops what is left of it when the answer begins.
	Serve func(w *Writer)
	// Writer configures the streams.
	Writer WriterConfig
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		for i := 0; i < len(streamHeaders); i += 2 {
			w.Header().Set(streamHeaders[i], streamHeaders[i+1])
		}
		return
	}
	s, err := NewWriter(w, r, &h.Writer)
	if errors.Is(err, http.ErrNotSupported) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
	if err != nil {
		return
	}
	defer s.Close()
	h.Serve(s)
}
