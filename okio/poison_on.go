//go:build race || okiopoison

package okio

const poison = true
