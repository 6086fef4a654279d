//go:build race || okiopoison

package okio

import "bytes"

const poison = true

var poisonBytes = bytes.Repeat([]byte{0xdb}, segmentSize)
