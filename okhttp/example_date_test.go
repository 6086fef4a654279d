package okhttp_test

import (
	"fmt"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleParseDate() {
	for _, s := range []string{"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun 6-Nov-1994 03:49:37 EST"} {
		t, err := okhttp.ParseDate(s)
		fmt.Println(t, err)
	}
	_, err := okhttp.ParseDate("Sun, 06 Nov 1994 08:49:37")
	fmt.Println(err)
	// Output:
	// 1994-11-06 08:49:37 +0000 UTC <nil>
	// 1994-11-06 08:49:37 +0000 UTC <nil>
	// 1994-11-06 08:49:37 +0000 UTC <nil>
	// okhttp: expected an HTTP date such as "Mon, 02 Jan 2006 15:04:05 GMT" but got "Sun, 06 Nov 1994 08:49:37": no zone
}

func ExampleFormatDate() {
	fmt.Println(okhttp.FormatDate(time.Date(1994, time.November, 6, 9, 49, 37, 0, time.FixedZone("CET", 3600))))
	// Output: Sun, 06 Nov 1994 08:49:37 GMT
}
