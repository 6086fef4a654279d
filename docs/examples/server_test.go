package examples

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// server answers the examples; its URL changes from run to run, so no example prints it.
var server *httptest.Server

func TestMain(m *testing.M) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Greeting", "polite")
		io.WriteString(w, "hello, gopher")
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id": 7, "by": %q}`, r.Header.Get("X-Request-By"))
	})
	mux.HandleFunc("GET /old", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/hello", http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /never", func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	})
	server = httptest.NewServer(mux)
	code := m.Run()
	server.CloseClientConnections()
	server.Close()
	os.Exit(code)
}
