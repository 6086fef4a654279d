// Package oksse (module okhttp-sse) reads and writes server-sent events (HTML standard, section 9.2).
//
// [Decoder] reads events from any reader, [Encoder] writes them to any writer:
//
//	d := oksse.NewDecoder(r, nil)
//	for e, err := range d.All() {
//		if err != nil {
//			return err
//		}
//		fmt.Println(e.Type, e.Data)
//	}
package oksse
