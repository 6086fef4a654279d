package okio

import "time"

// hostTime is t without the monotonic clock, and zero if the host said zero, which stands for unknown.
func hostTime(t time.Time) time.Time {
	if t.Unix() == 0 && t.Nanosecond() == 0 {
		return time.Time{}
	}
	return t
}
