//go:build unix

package disklru

import "syscall"

func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
