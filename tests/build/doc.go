// Package build holds what the mage targets do, so that vet and staticcheck see it.
package build
