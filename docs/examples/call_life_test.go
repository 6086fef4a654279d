package examples

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

func Example_enqueue() {
	url := server.URL + "/hello"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region enqueue
	req, err := okhttp.NewRequest("GET", url)
	if err != nil {
		log.Fatal(err)
	}
	var done sync.WaitGroup
	done.Add(1)
	client.NewCall(req).Enqueue(ctx, func(resp *okhttp.Response, err error) {
		defer done.Done()
		if err != nil {
			log.Print(err)
			return
		}
		text, err := resp.Body.Text()
		fmt.Println(text, err)
	})
	done.Wait()
	// #endregion enqueue

	// Output: hello, gopher <nil>
}

func Example_dispatcher() {
	url := server.URL + "/never"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// #region dispatcher
	limits := okhttp.NewDispatcher(okhttp.DispatcherConfig{
		MaxRequestsPerHost: 1,
		MaxQueued:          1,    // a bound on what may pile up
		LimitExecute:       true, // Execute, Do and Get wait for a turn as well
	})
	client := okhttp.New(okhttp.WithDispatcher(limits))
	// #endregion dispatcher
	defer client.Close()
	req, err := okhttp.NewRequest("GET", url)
	if err != nil {
		log.Fatal(err)
	}
	failures := make(chan error, 2)
	for range 2 { // one runs, one waits
		client.NewCall(req).Enqueue(ctx, func(_ *okhttp.Response, err error) { failures <- err })
	}
	_, err = client.Do(ctx, req) // there is no room to wait
	fmt.Println(errors.Is(err, okhttp.ErrQueueFull), limits.Stats())
	cancel()
	for range 2 {
		fmt.Println(errors.Is(<-failures, context.Canceled))
	}
	// Output:
	// true {1 1}
	// true
	// true
}

func Example_cancelCall() {
	url := server.URL + "/never"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region cancelcall
	req, err := okhttp.NewRequest("GET", url)
	if err != nil {
		log.Fatal(err)
	}
	call := client.NewCall(req)
	stop := time.AfterFunc(20*time.Millisecond, call.Cancel) // from any goroutine
	defer stop.Stop()

	_, err = call.Execute(ctx)
	fmt.Println(errors.Is(err, okhttp.ErrCanceled), errors.Is(err, context.Canceled))

	_, err = call.Execute(ctx) // a call runs once: Clone makes another
	var misuse *okhttp.CallError
	fmt.Println(errors.As(err, &misuse), call.Clone().IsExecuted())
	// #endregion cancelcall

	// Output:
	// true true
	// true false
}

func Example_tags() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region tags
	type tenant string

	client := okhttp.New(okhttp.WithInterceptor(okhttp.InterceptorFunc(
		func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			if t, ok := okhttp.TagOf[tenant](chain.Call()); ok {
				fmt.Println("a call of", t)
			}
			return chain.Proceed(ctx, chain.Request())
		})))
	defer client.Close()

	req, err := okhttp.NewRequest("GET", url, okhttp.Tag(tenant("acme")))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req)
	// #endregion tags
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	// Output: a call of acme
}

func Example_shutdown() {
	url := server.URL + "/hello"
	// #region shutdown
	client := okhttp.New()
	defer client.Close() // cancels whatever is left

	// … when the program is asked to end: let calls finish, for at most ten seconds.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := client.Shutdown(ctx); err != nil {
		log.Print("some calls were canceled: ", err)
	}
	// #endregion shutdown
	_, err := client.Get(context.Background(), url)
	fmt.Println(errors.Is(err, okhttp.ErrClientClosed))
	// Output: true
}

func Example_expectContinue() {
	s := scripted(mockserver.Reply(413).SkipRequestBody(), mockserver.Reply(200).Continue().Text("stored"))
	defer s.Close()
	url := s.URL("/upload")
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	opened := 0
	large, err := okhttp.NewBody(okhttp.BodyConfig{Len: -1, Open: open(&opened, "a large body")})
	if err != nil {
		log.Fatal(err)
	}
	// #region expect
	req, err := okhttp.NewRequest("PUT", url, okhttp.WithBody(large), okhttp.Header("Expect", "100-continue"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req) // the server says 413, and the body stays here
	// #endregion expect
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, opened)
	resp.Body.Close()
	if resp, err = client.Do(ctx, req); err != nil { // the server says 100
		log.Fatal(err)
	}
	fmt.Println(resp.Status, opened)
	resp.Body.Close()
	// Output:
	// 413 0
	// 200 1
}
