package examples

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
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
	mux.HandleFunc("GET /shout", func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
		if line, err := rw.ReadString('\n'); err == nil {
			io.WriteString(conn, strings.ToUpper(line))
		}
	})
	server = httptest.NewServer(mux)
	code := m.Run()
	server.CloseClientConnections()
	server.Close()
	os.Exit(code)
}

// scripted starts a server that gives these answers in turn. Whoever calls it closes it.
func scripted(answers ...mockserver.Response) *mockserver.Server {
	s, err := mockserver.Start()
	if err != nil {
		panic(err)
	}
	s.Enqueue(answers...)
	return s
}
