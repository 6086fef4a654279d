package okhttp

import "reflect"

// tagList is an immutable list of values, one for each type; the newest come first.
type tagList struct {
	kind  reflect.Type
	value any
	next  *tagList
}

func (l *tagList) find(kind reflect.Type) (any, bool) {
	for ; l != nil; l = l.next {
		if l.kind == kind {
			return l.value, true
		}
	}
	return nil, false
}

// Tag attaches a value to a request, in the place of one of the same type. A call starts with the tags of its request.
func Tag[T any](v T) RequestOption {
	return requestOption(func(r *Request) error {
		rare := r.rarely()
		rare.tags = &tagList{reflect.TypeFor[T](), v, rare.tags}
		r.rare = rare
		return nil
	})
}

// RequestTag returns the value of type T that was attached to a request.
func RequestTag[T any](r *Request) (T, bool) {
	var none T
	if r.rare == nil {
		return none, false
	}
	v, ok := r.rare.tags.find(reflect.TypeFor[T]())
	if !ok {
		return none, false
	}
	return v.(T), true
}

// TagOf returns the value of type T that is attached to a call or its request. It may be called from any goroutine.
func TagOf[T any](c *Call) (T, bool) {
	if v, ok := c.tags.Load().find(reflect.TypeFor[T]()); ok {
		return v.(T), true
	}
	return RequestTag[T](c.request)
}

// SetTag attaches a value to a call, in the place of one of the same type. The request, and clones of the call, do not see it. It may be
// called from any goroutine.
func SetTag[T any](c *Call, v T) {
	for {
		old := c.tags.Load()
		if c.tags.CompareAndSwap(old, &tagList{reflect.TypeFor[T](), v, old}) {
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
		if v, ok := old.find(kind); ok {
			return v.(T)
		}
		if c.tags.CompareAndSwap(old, &tagList{kind, computed, old}) {
			return computed
		}
	}
}
