package okio

import (
	"io/fs"
	"syscall"
	"time"
)

// hostTimes returns the times of birth and of the last access.
func hostTimes(info fs.FileInfo) (created, accessed time.Time) {
	if st, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		created = fileTime(st.CreationTime)
		accessed = fileTime(st.LastAccessTime)
	}
	return created, accessed
}

// fileTime is zero for the zero of Windows, which stands for unknown.
func fileTime(t syscall.Filetime) time.Time {
	if t.HighDateTime == 0 && t.LowDateTime == 0 {
		return time.Time{}
	}
	return time.Unix(0, t.Nanoseconds())
}
