package okhttp

import (
	"sync"
	"sync/atomic"
	"testing"
)

type (
	tagA string
	tagB int
)

func TestRequestTags(t *testing.T) {
	plain := mustRequest(t, "GET", "http://h/")
	if v, ok := RequestTag[tagA](plain); ok || v != "" {
		t.Errorf("an untagged request has %q", v)
	}
	tagged, err := plain.With(Tag(tagA("a")), Tag(tagB(1)), Tag(tagA("again")))
	if err != nil {
		t.Fatal(err)
	}
	a, okA := RequestTag[tagA](tagged)
	b, okB := RequestTag[tagB](tagged)
	if a != "again" || b != 1 || !okA || !okB {
		t.Errorf("tags %q %v, %d %v", a, okA, b, okB)
	}
	if _, ok := RequestTag[string](tagged); ok {
		t.Error("a tag is found by its underlying type")
	}
	if _, ok := RequestTag[tagA](plain); ok {
		t.Error("tagging a copy changed the original")
	}
	further, err := tagged.With(Tag(tagA("further")), WithMethod("HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := RequestTag[tagA](tagged); a != "again" {
		t.Errorf("a derived request changed the tag to %q", a)
	}
	if a, _ := RequestTag[tagA](further); a != "further" {
		t.Errorf("derived %q", a)
	}
	// An interface type is a type of its own, and a nil value is a value.
	withNil, err := plain.With(Tag[error](nil))
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := RequestTag[error](withNil); v != nil || !ok {
		t.Errorf("nil tag: %v %v", v, ok)
	}
}

// Section 2.7: a call starts with the tags of its request; a clone has those alone.
func TestCallTags(t *testing.T) {
	client := New()
	defer client.Close()
	call := client.NewCall(mustRequest(t, "GET", "http://h/", Tag(tagA("request"))))
	if a, ok := TagOf[tagA](call); a != "request" || !ok {
		t.Errorf("tag of the request %q %v", a, ok)
	}
	if _, ok := TagOf[tagB](call); ok {
		t.Error("a tag that nobody set")
	}
	SetTag(call, tagA("call"))
	SetTag(call, tagB(1))
	SetTag(call, tagB(2))
	a, _ := TagOf[tagA](call)
	b, _ := TagOf[tagB](call)
	if a != "call" || b != 2 {
		t.Errorf("tags %q %d", a, b)
	}
	if a, _ := RequestTag[tagA](call.Request()); a != "request" {
		t.Errorf("the request's tag became %q", a)
	}
	for n := 0; n < 10; n++ {
		SetTag(call, tagB(2))
	}
	kinds := 0
	for l := call.tags.Load(); l != nil; l = l.next {
		kinds++
	}
	if kinds != 2 {
		t.Errorf("%d values of two types are kept", kinds)
	}
	clone := call.Clone()
	if a, _ := TagOf[tagA](clone); a != "request" {
		t.Errorf("the clone's tag is %q", a)
	}
	if _, ok := TagOf[tagB](clone); ok {
		t.Error("the clone has a tag of the call")
	}
	if a := TagOrCompute(call, func() tagA { t.Error("computed a tag that is there"); return "" }); a != "call" {
		t.Errorf("computed %q", a)
	}
	if a := TagOrCompute(clone, func() tagA { t.Error("computed a tag of the request"); return "" }); a != "request" {
		t.Errorf("computed %q", a)
	}
	SetTag[error](call, nil)
	if v, ok := TagOf[error](call); v != nil || !ok {
		t.Errorf("nil tag: %v %v", v, ok)
	}
	if v := TagOrCompute(call, func() error { t.Error("computed a nil tag"); return nil }); v != nil {
		t.Errorf("nil tag: %v", v)
	}
}

// Several compute at once: one value wins and all get it. A race for another tag computes nothing again. f may use the call's tags.
func TestTagOrComputeIsAtomic(t *testing.T) {
	client := New()
	defer client.Close()
	for range 100 {
		call := client.NewCall(mustRequest(t, "GET", "http://h/"))
		const goroutines = 8
		var all, computing sync.WaitGroup
		var computed [goroutines]atomic.Int32
		var got [goroutines]tagB
		computing.Add(goroutines)
		for i := range goroutines {
			all.Go(func() {
				got[i] = TagOrCompute(call, func() tagB {
					computed[i].Add(1)
					computing.Done()
					computing.Wait() // none has a value before all compute
					SetTag(call, tagA("from within"))
					return tagB(i + 1)
				})
			})
		}
		all.Wait()
		final, ok := TagOf[tagB](call)
		if !ok || final == 0 {
			t.Fatal("no value")
		}
		for i := range got {
			if got[i] != final || computed[i].Load() != 1 {
				t.Errorf("goroutine %d got %d after computing %d times, the tag is %d", i, got[i], computed[i].Load(), final)
			}
		}
		if a, _ := TagOf[tagA](call); a != "from within" {
			t.Errorf("other tag %q", a)
		}
	}
}

// Tags cross redirects with the request.
func TestTagsInRedirects(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(redirectText(302, "/b"), okText("x")))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "POST", "http://server.test/", Tag(tagB(7)), WithBody(Text("x"))))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if b, ok := RequestTag[tagB](resp.Request()); b != 7 || !ok || resp.Request().Method() != "GET" {
			t.Errorf("tag %d %v", b, ok)
		}
	})
}
