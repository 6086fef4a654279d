package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
)

type order struct {
	ID   int    `json:"id,omitempty"`
	Item string `json:"item"`
}

// #region before
// Shop calls an API with net/http.
type Shop struct {
	base   *url.URL
	token  string
	client *http.Client
}

func NewShop(base, token string) (*Shop, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	return &Shop{base: u, token: token, client: &http.Client{Timeout: 30 * time.Second}}, nil
}

func (s *Shop) Order(ctx context.Context, item string, express bool) (*order, error) {
	content, err := json.Marshal(order{Item: item})
	if err != nil {
		return nil, err
	}
	u := s.base.JoinPath("orders")
	u.RawQuery = url.Values{"express": {fmt.Sprint(express)}}.Encode()
	req, err := http.NewRequestWithContext(ctx, "POST", u.String(), bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, fmt.Errorf("shop: %s: %s", resp.Status, text)
	}
	var o order
	return &o, json.NewDecoder(resp.Body).Decode(&o)
}

// #endregion before

// #region after
// Store calls the same API with okhttp.
type Store struct {
	base   okhttp.URL
	client *okhttp.Client
}

func NewStore(base, token string) (*Store, error) {
	u, err := okhttp.ParseURL(base)
	if err != nil {
		return nil, err
	}
	auth := okauth.Bearer(func(context.Context) (string, error) { return token, nil }, okauth.OnlyFor(u))
	client := okhttp.New(
		okhttp.WithCallTimeout(30*time.Second),
		okhttp.WithNetworkInterceptor(auth.Preemptive())) // for each request to that origin, and no other
	return &Store{base: u, client: client}, nil
}

func (s *Store) Close() error { return s.client.Close() }

func (s *Store) Order(ctx context.Context, item string, express bool) (*order, error) {
	u, err := s.base.Edit().AddPathSegment("orders").AddQuery("express", fmt.Sprint(express)).Build()
	if err != nil {
		return nil, err
	}
	body, err := okhttp.JSON(order{Item: item}) // with its Content-Type
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Post(ctx, u.String(), body)
	if err != nil {
		return nil, err // okhttp.SafeToRetry(err) says whether the order may have been placed
	}
	defer resp.Body.Close()
	if !resp.IsSuccess() {
		text, _ := resp.PeekBody(1000)
		return nil, fmt.Errorf("shop: %d %s: %s", resp.Status, resp.Message, text)
	}
	var o order
	return &o, resp.Body.JSON(&o)
}

// #endregion after

// Both send the same, and say the same about the answers.
func Example_migrated() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	before, err := NewShop(server.URL("/v1"), "t0ken")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer before.client.CloseIdleConnections()
	after, err := NewStore(server.URL("/v1"), "t0ken")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer after.Close()
	ctx := context.Background()
	for _, place := range []func(context.Context, string, bool) (*order, error){before.Order, after.Order} {
		server.Enqueue(mockserver.Reply(201).Text(`{"id": 7, "item": "tea"}`), mockserver.Reply(409).Text("sold out"))
		fmt.Println(place(ctx, "tea", true))
		_, err := place(ctx, "tea", false)
		fmt.Println(err)
		for range 2 {
			got, err := server.TakeRequest(ctx)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(got.RequestLine(), got.Headers.Get("Authorization"), got.Headers.Get("Content-Type"), string(got.Body))
		}
	}
	// Output:
	// &{7 tea} <nil>
	// shop: 409 Client Error: sold out
	// POST /v1/orders?express=true HTTP/1.1 Bearer t0ken application/json {"item":"tea"}
	// POST /v1/orders?express=false HTTP/1.1 Bearer t0ken application/json {"item":"tea"}
	// &{7 tea} <nil>
	// shop: 409 Client Error: sold out
	// POST /v1/orders?express=true HTTP/1.1 Bearer t0ken application/json {"item":"tea"}
	// POST /v1/orders?express=false HTTP/1.1 Bearer t0ken application/json {"item":"tea"}
}

// #region resty
func newAPI() *okhttp.Client {
	return okhttp.New( // resty.New()
		okhttp.WithCallTimeout(10*time.Second),                     // SetTimeout(10 * time.Second)
		okhttp.WithRetryPolicy(okhttp.RetryPolicy{MaxAttempts: 4}), // SetRetryCount(3), for 429 and 503
	)
}

func upload(ctx context.Context, api *okhttp.Client, base okhttp.URL, id, path string) (result order, err error) {
	u, err := base.Edit(). // SetBaseURL
				AddPathSegments("orders").AddPathSegment(id). // SetPathParam("id", id)
				AddQuery("notify", "yes").Build()             // SetQueryParam("notify", "yes")
	if err != nil {
		return result, err
	}
	form, err := okmultipart.Form(
		okmultipart.Field("note", "as agreed"),            // SetFormData
		okmultipart.File("scan", path, "application/pdf"), // SetFile("scan", path)
	)
	if err != nil {
		return result, err
	}
	resp, err := api.Post(ctx, u.String(), form) // SetContext(ctx).Post("/orders/{id}")
	if err != nil {
		return result, err
	}
	defer resp.Body.Close()
	if !resp.IsSuccess() {
		var problem struct{ Title string }
		err := resp.Body.JSON(&problem) // SetError(&problem)
		return result, errors.Join(fmt.Errorf("%d: %s", resp.Status, problem.Title), err)
	}
	return result, resp.Body.JSON(&result) // SetResult(&result)
}

// #endregion resty

func Example_fromResty() {
	server := scripted(mockserver.Reply(429).Header("Retry-After", "0"), mockserver.Reply(201).Text(`{"id": 7, "item": "tea"}`),
		mockserver.Reply(422).Text(`{"title": "not a scan"}`))
	defer server.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "scan.pdf")
	if err := os.WriteFile(path, []byte("%PDF"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	base, err := okhttp.ParseURL(server.URL("/v1/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	api := newAPI()
	defer api.Close()
	fmt.Println(upload(context.Background(), api, base, "a/b", path))
	_, err = upload(context.Background(), api, base, "a/b", path)
	fmt.Println(err)
	for range 3 {
		r, _ := server.TryTakeRequest()
		fmt.Println(r.RequestLine())
	}
	// Output:
	// {7 tea} <nil>
	// 422: not a scan
	// POST /v1/orders/a%2Fb?notify=yes HTTP/1.1
	// POST /v1/orders/a%2Fb?notify=yes HTTP/1.1
	// POST /v1/orders/a%2Fb?notify=yes HTTP/1.1
}
