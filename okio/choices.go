package okio

// Choices are [Options] that stand for values of their own. They are immutable and safe for concurrent use.
// The zero value matches nothing.
type Choices[T any] struct {
	values  []T
	options Options
}

// NewChoices returns the choices among values, in order of preference, each one matched by its encoding. The encodings must
// be as [NewOptions] wants them.
func NewChoices[T any](values []T, encode func(T) ByteString) (*Choices[T], error) {
	list := make([]ByteString, len(values))
	for i, v := range values {
		list[i] = encode(v)
	}
	options, err := NewOptions(list...)
	if err != nil {
		return nil, err
	}
	return &Choices[T]{values: append([]T(nil), values...), options: *options}, nil
}

// Select consumes the best choice that s starts with and returns its value, or consumes nothing and returns false.
func (c *Choices[T]) Select(s *BufferedSource) (v T, ok bool, err error) {
	i, err := s.Select(&c.options)
	if err != nil || i < 0 {
		return v, false, err
	}
	return c.values[i], true, nil
}
