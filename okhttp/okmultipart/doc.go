// Package okmultipart writes and reads bodies of several parts: forms with files (RFC 7578), and the other multipart media types (RFC 2046
// section 5.1).
//
// [Form] makes a body for a request. Nothing is buffered: files are opened when the part is sent, and again if the request is sent again.
//
//	body, err := okmultipart.Form(
//		okmultipart.Field("title", "Square Logo"),
//		okmultipart.File("image", "logo.png", "image/png"),
//	)
//	if err != nil {
//		return err
//	}
//	resp, err := client.Post(ctx, "https://api.example.com/images", body)
//
// [New] does the same for other types, with a boundary of your choice if need be.
//
// A [Reader] goes through the parts of a response, one after the other, within bounded memory however large they are:
//
//	parts, err := okmultipart.FromResponse(resp)
//	if err != nil {
//		return err
//	}
//	defer parts.Close()
//	for part, err := range parts.All() {
//		if err != nil {
//			return err
//		}
//		…
//	}
//
// It is strict: lines end in CRLF, and what follows a boundary must be what the RFC says. A body that breaks this is an
// [*okhttp.ProtocolError], so that nobody reads other parts out of it than the next reader would.
//
// # Concurrency
//
// Bodies do not change and may be sent by several calls at the same time, if what their parts read from allows that. A [Reader] and its parts belong to one goroutine
// at a time.
package okmultipart
