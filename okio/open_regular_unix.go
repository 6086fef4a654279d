//go:build unix

package okio

import "syscall"

// openRegularFlags keep a file from being opened through a link, and a pipe from being waited for. Regular files do not mind.
const openRegularFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
