package okhttp

import "reflect"

// tagList is an immutable list of values, one for each type; the newest come first.
type tagList struct {
	kind  reflect.Type
	value any
	next  *tagList
}

func findTag[T any](l *tagList) (v T, ok bool) {
	for kind := reflect.TypeFor[T](); l != nil; l = l.next {
		if l.kind == kind {
			v, _ = l.value.(T) // a nil of an interface type has lost its type
			return v, true
		}
	}
	return v, false
}

// with returns the list with a value in the place of one of the same type.
func (l *tagList) with(kind reflect.Type, value any) *tagList {
	return &tagList{kind, value, l.without(kind)}
}

func (l *tagList) without(kind reflect.Type) *tagList {
	switch {
	case l == nil:
		return nil
	case l.kind == kind:
		return l.next
	}
	rest := l.next.without(kind)
	if rest == l.next {
		return l // it was not there
	}
	return &tagList{l.kind, l.value, rest}
}

// Tag attaches a value to a request, replacing one of the same type. A call starts with the tags of its request.
func Tag[T any](v T) RequestOption {
	return requestOption(func(r *Request) error {
		rare := r.rarely()
		rare.tags = rare.tags.with(reflect.TypeFor[T](), v)
		r.rare = rare
		return nil
	})
}

// RequestTag returns the value of type T that was attached to a request.
func RequestTag[T any](r *Request) (T, bool) {
	if r.rare == nil {
		return findTag[T](nil)
	}
	return findTag[T](r.rare.tags)
}

// TagOf returns the value of type T that is attached to a call or its request. It may be called from any goroutine.
func TagOf[T any](c *Call) (T, bool) {
	if v, ok := findTag[T](c.tags.Load()); ok {
		return v, true
	}
	return RequestTag[T](c.request)
}

// SetTag attaches a value to a call, replacing one of the same type. The request, and clones of the call, do not see it. It may be called from any
// goroutine.
func SetTag[T any](c *Call, v T) {
	for {
		old := c.tags.Load()
		if c.tags.CompareAndSwap(old, old.with(reflect.TypeFor[T](), v)) {
			return
		}
	}
}

// TagOrCompute returns the value of type T that is attached to a call or its request; if there is none it attaches what f returns. Of
// several that compute at the same time one wins, and all get its value. No lock is held while f runs.
func TagOrCompute[T any](c *Call, f func() T) T {
	if v, ok := TagOf[T](c); ok {
		return v
	}
	kind, computed := reflect.TypeFor[T](), f()
	for {
		old := c.tags.Load()
		if v, ok := findTag[T](old); ok {
			return v
		}
		if c.tags.CompareAndSwap(old, &tagList{kind, computed, old}) {
			return computed
		}
	}
}
