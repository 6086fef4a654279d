package okhttp

// WithCacheControl sets the Cache-Control header, replacing any. Directives that say nothing remove it. A time below zero fails with a
// [*RequestError]; parsed text that no header can carry, with a [*HeaderError].
func WithCacheControl(c CacheControl) RequestOption {
	return requestOption(func(r *Request) (err error) {
		if name, d := c.negative(); name != "" {
			return &RequestError{r.method, "has a Cache-Control with " + name + " < 0: " + d.String()}
		}
		text := c.String()
		if text == "" {
			r.headers = r.headers.Without("Cache-Control")
			return nil
		}
		r.headers, err = r.headers.With("Cache-Control", text)
		return err
	})
}

// CacheControl returns what the Cache-Control and Pragma headers say. They are parsed each time: keep the result.
func (r *Request) CacheControl() CacheControl { return ParseCacheControl(r.headers) }

// CacheControl returns what the Cache-Control and Pragma headers say. They are parsed each time: keep the result.
func (r *Response) CacheControl() CacheControl { return ParseCacheControl(r.headers) }
