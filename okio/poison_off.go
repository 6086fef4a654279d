//go:build !race && !okiopoison

package okio

// poison overwrites arrays as they return to the pool, which turns the use of a stale view into garbage that tests see. It
// is on under the race detector and with the build tag okiopoison.
const poison = false

var poisonBytes []byte
