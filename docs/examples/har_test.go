package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

// archive is what these examples look at in a HAR.
type archive struct {
	Log struct {
		Entries []struct {
			Request  struct{ Method, URL string }
			Response struct {
				Status  int
				Content struct{ Text string }
			}
		}
	}
}

func Example_har() {
	dir, err := os.MkdirTemp("", "har")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "calls.har")
	s := scripted(
		mockserver.Reply(302).Header("Location", "/home"),
		mockserver.Reply(200).Header("Content-Type", "text/plain").Text("Hello"))
	defer s.Close()
	url, ctx := s.URL("/"), context.Background()
	// #region har
	recorder := okhar.New(nil)
	client := okhttp.New(
		okhttp.WithEventListener(recorder.Listen),
		okhttp.WithNetworkInterceptor(recorder)) // the last one, to see what is sent
	defer client.Close()

	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := resp.Body.Text(); err != nil { // what is read is recorded
		log.Fatal(err)
	}

	file, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := recorder.WriteTo(file); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	// #endregion har
	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	var a archive
	if err := json.Unmarshal(text, &a); err != nil {
		log.Fatal(err)
	}
	for _, e := range a.Log.Entries {
		fmt.Printf("%s %d %q\n", e.Request.Method, e.Response.Status, e.Response.Content.Text)
	}
	// Output:
	// GET 302 ""
	// GET 200 "Hello"
}

func Example_harSecrets() {
	s := scripted(mockserver.Reply(200).Header("Set-Cookie", "session=4711"))
	defer s.Close()
	ctx := context.Background()
	// #region secrets
	recorder := okhar.New(&okhar.Config{
		RedactHeaders: []string{"X-Tenant"},
		RedactQuery:   []string{"token"},
		MaxBody:       -1, // no bodies
	})
	// #endregion secrets
	client := okhttp.New(okhttp.WithEventListener(recorder.Listen), okhttp.WithNetworkInterceptor(recorder))
	defer client.Close()
	req, err := okhttp.NewRequest("GET", s.URL("/?token=s3cret"), okhttp.Header("X-Tenant", "s3cret"), okhttp.Header("Authorization", "Bearer s3cret"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	var b bytes.Buffer
	if _, err := recorder.WriteTo(&b); err != nil {
		log.Fatal(err)
	}
	for _, secret := range []string{"s3cret", "4711"} {
		fmt.Println(bytes.Contains(b.Bytes(), []byte(secret)))
	}
	// Output:
	// false
	// false
}

func Example_harMemory() {
	s := scripted(mockserver.Reply(200), mockserver.Reply(200), mockserver.Reply(200))
	defer s.Close()
	ctx := context.Background()
	// #region memory
	recorder := okhar.New(&okhar.Config{MaxEntries: 2, MaxBytes: 1 << 20, MaxBody: 4 << 10})
	// #endregion memory
	client := okhttp.New(okhttp.WithEventListener(recorder.Listen), okhttp.WithNetworkInterceptor(recorder))
	defer client.Close()
	for range 3 {
		resp, err := client.Get(ctx, s.URL("/"))
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
	}
	var b bytes.Buffer
	if _, err := recorder.WriteTo(&b); err != nil {
		log.Fatal(err)
	}
	var a archive
	if err := json.Unmarshal(b.Bytes(), &a); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(a.Log.Entries))
	// Output: 2
}
