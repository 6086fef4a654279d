package faults

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// duplexScene is a call whose body is written while its response is read.
type duplexScene struct {
	name   string
	script func() *mockserver.SocketScript
	say    []string // by the request's body, each once the text of hear at its place was heard
	hear   []string
	whole  bool               // the response ends well
	wrote  bool               // so does the body
	leave  func(*okhttp.Call) // after that; nil for the end
}

// TestDuplex has both sides talk at the same time, and either of them break off.
func TestDuplex(t *testing.T) {
	script := func() *mockserver.SocketScript { return new(mockserver.SocketScript) }
	for _, tt := range []duplexScene{
		{"in turns", func() *mockserver.SocketScript {
			return script().Send("a?").Expect("a!").Send("b?").Expect("b!").Send("bye").ExpectEnd().End()
		}, []string{"a!", "b!"}, []string{"a?", "b?"}, true, true, nil},
		{"the server ends first", func() *mockserver.SocketScript {
			return script().Send("a?").Expect("a!").End().Expect("b!").ExpectEnd()
		},
			[]string{"a!", "b!"}, []string{"a?", ""}, true, true, nil},
		{"the server breaks off", func() *mockserver.SocketScript { return script().Send("a?").Expect("a!").Cancel() }, []string{"a!"}, []string{"a?"}, false, false, nil},
		{"the client breaks off", func() *mockserver.SocketScript { return script().Send("a?").Expect("a!").ExpectError() }, []string{"a!"}, []string{"a?"}, false, false, (*okhttp.Call).Cancel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { tt.play(t) })
		})
	}
}

func (tt *duplexScene) play(t *testing.T) {
	server := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	script := tt.script()
	server.Enqueue(mockserver.Reply(200).Socket(script))
	client := server.Client(okhttp.WithRetryOnConnectionFailure(false))
	defer client.Close()
	heard, wrote := make(chan struct{}), make(chan error, 1)
	write := func(ctx context.Context, w io.Writer) error {
		for _, text := range tt.say {
			select {
			case <-heard:
			case <-ctx.Done():
				return ctx.Err()
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		if tt.wrote {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	body, err := okhttp.NewBody(okhttp.BodyConfig{Len: -1, Duplex: true, Write: func(ctx context.Context, w io.Writer) error {
		err := write(ctx, w)
		wrote <- err
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := okhttp.NewRequest("POST", server.URL("/"), okhttp.WithBody(body))
	if err != nil {
		t.Fatal(err)
	}
	call := client.NewCall(request)
	resp, err := call.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, want := range tt.hear {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(resp.Body, got); string(got) != want {
			t.Errorf("heard %q, %v, want %q", got, err, want)
		}
		heard <- struct{}{}
	}
	if tt.leave != nil {
		synctest.Wait()
		tt.leave(call)
	}
	if _, err := io.ReadAll(resp.Body); (err == nil) != tt.whole {
		t.Errorf("the response ended with %v", err)
	}
	if err := <-wrote; (err == nil) != tt.wrote {
		t.Errorf("the body ended with %v", err)
	}
	if err := script.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
