package record_test

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/stub"
)

func get(url string) {
	resp, err := http.Get(url)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(text), err)
}

// What a server says is recorded once, and answered from the record when the server is gone.
func Example() {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	origin, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	origin.Enqueue(mockserver.Reply(200).Text("from far away"))
	recorder, err := record.New(record.Config{Origin: origin.URL("/")})
	if err != nil {
		fmt.Println(err)
		return
	}
	front, err := mockserver.Start(mockserver.WithDispatcher(recorder))
	if err != nil {
		fmt.Println(err)
		return
	}
	get(front.URL("/news"))
	front.Close()
	origin.Close()
	if err := recorder.Save(dir); err != nil {
		fmt.Println(err)
		return
	}
	recorder.Close()

	stubs, files, err := stub.Read(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	replay, err := record.New(record.Config{Mode: record.Replay, Stubs: stubs, Dir: files})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer replay.Close()
	offline, err := mockserver.Start(mockserver.WithDispatcher(replay))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer offline.Close()
	get(offline.URL("/news"))
	// Output:
	// 200 from far away <nil>
	// 200 from far away <nil>
}
