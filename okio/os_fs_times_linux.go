package okio

import (
	"io/fs"
	"syscall"
	"time"
)

// hostTimes returns the times of birth, which stat does not tell on Linux, and of the last access.
func hostTimes(info fs.FileInfo) (created, accessed time.Time) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		accessed = hostTime(time.Unix(st.Atim.Unix()))
	}
	return created, accessed
}
