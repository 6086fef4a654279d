package okhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

func duplexBody(t *testing.T, write func(ctx context.Context, w io.Writer) error) *Body {
	t.Helper()
	b, err := NewBody(BodyConfig{Len: -1, Duplex: true, Write: write})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// echoLine answers each line as it comes.
func echoLine(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		fmt.Fprintf(w, "<%s>\n", lines.Text())
		w.(http.Flusher).Flush()
	}
}

func TestDuplex(t *testing.T) {
	s, c := server2(t, echoLine)
	ask, ended := make(chan string), make(chan struct{})
	call := c.NewCall(mustRequest(t, "POST", s.URL, WithBody(duplexBody(t, func(_ context.Context, w io.Writer) error {
		for line := range ask {
			if _, err := io.WriteString(w, line+"\n"); err != nil {
				return err
			}
		}
		return nil
	}))), WithCallTimeout(time.Hour))
	call.AddEventListener(&EventListener{CallEnd: func(CallEnd) { close(ended) }, CallFailed: func(f Failure) { t.Error(f.Err) }})
	resp, err := call.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(resp.Body)
	for i := range 3 {
		ask <- fmt.Sprint(i)
		if got, err := answers.ReadString('\n'); got != fmt.Sprintf("<%d>\n", i) || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	close(ask)
	if rest, err := io.ReadAll(answers); len(rest) > 0 || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	<-ended
	if got := c.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
		t.Errorf("pool %+v", got)
	}
}

// The body's failure is that of who reads the response; its context ends with the call.
func TestDuplexEnds(t *testing.T) {
	s, c := server2(t, echoLine)
	boom := errors.New("boom")
	for name, end := range map[string]func(*Call) error{
		"body fails": nil, "cancel": func(call *Call) error { call.Cancel(); return ErrCanceled },
	} {
		t.Run(name, func(t *testing.T) {
			goOn, over := make(chan struct{}), make(chan struct{})
			call := c.NewCall(mustRequest(t, "POST", s.URL, WithBody(duplexBody(t, func(ctx context.Context, w io.Writer) error {
				io.WriteString(w, "a\n")
				select {
				case <-goOn:
					return boom
				case <-ctx.Done():
					return ctx.Err()
				}
			}))))
			call.AddEventListener(&EventListener{CallFailed: func(Failure) { close(over) }})
			resp, err := call.Execute(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(resp.Body)
			if got, err := lines.ReadString('\n'); got != "<a>\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			want := boom
			if end == nil {
				close(goOn)
			} else {
				want = end(call)
			}
			if _, err := lines.ReadString('\n'); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
			<-over
			if got := c.cfg.pool.Stats(); got.Streams != 0 {
				t.Errorf("pool %+v", got)
			}
		})
	}
	t.Run("over HTTP/1.1", func(t *testing.T) {
		body := duplexBody(t, func(context.Context, io.Writer) error { t.Error("written"); return nil })
		_, err := c.Do(t.Context(), mustRequest(t, "POST", s.URL, WithBody(body)), WithProtocols(HTTP1Only))
		if !isA[*ProtocolError](err) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("closed early", func(t *testing.T) {
		over := make(chan struct{})
		call := c.NewCall(mustRequest(t, "POST", s.URL, WithBody(duplexBody(t, func(ctx context.Context, w io.Writer) error {
			<-ctx.Done()
			return ctx.Err()
		}))))
		call.AddEventListener(&EventListener{CallEnd: func(CallEnd) { close(over) }, CallFailed: func(f Failure) { t.Error(f.Err); close(over) }})
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		<-over
	})
}
