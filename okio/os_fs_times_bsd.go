//go:build darwin || freebsd || netbsd

package okio

import (
	"io/fs"
	"syscall"
	"time"
)

// hostTimes returns the times of birth and of the last access.
func hostTimes(info fs.FileInfo) (created, accessed time.Time) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		created = hostTime(time.Unix(st.Birthtimespec.Unix()))
		accessed = hostTime(time.Unix(st.Atimespec.Unix()))
	}
	return created, accessed
}
