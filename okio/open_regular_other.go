//go:build !unix

package okio

const openRegularFlags = 0
