//go:build !unix

package disklru

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
