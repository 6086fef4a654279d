package okio_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/okhttp-go/ok/okio"
)

func ExampleHashingSink() {
	var file okio.Buffer
	hashing := okio.NewHashingSink(&file, sha256.New())
	sink := okio.NewBufferedSink(hashing)
	sink.WriteString("abc")
	if err := sink.Flush(); err != nil { // what is still buffered is not hashed yet
		fmt.Println(err)
		return
	}
	fmt.Println(hashing.Hash().Hex())
	// Output: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
}

func ExampleHashingSource() {
	hashing := okio.NewHashingSource(okio.NewBufferString("abc"), sha256.New())
	source := okio.NewBufferedSource(hashing)
	if _, err := source.ReadAllTo(okio.Discard()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hashing.Hash().Hex())
	// Output: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
}

func ExampleNewHMAC() {
	mac, err := okio.NewHMAC(sha256.New, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(okio.ByteString("abc").Sum(mac).Hex())
	// Output: 446d1715583cf1c30dfffbec0df4ff1f9d39d493211ab4c97ed6f3f0eb579b47
}

func ExampleNewBlockCipherSource() {
	block, err := aes.NewCipher(bytes.Repeat([]byte{7}, 16))
	if err != nil {
		fmt.Println(err)
		return
	}
	iv := make([]byte, block.BlockSize()) // take it from crypto/rand, afresh each time
	var secret okio.Buffer
	sink, err := okio.NewBlockCipherSink(&secret, cipher.NewCBCEncrypter(block, iv), okio.AddPKCS7)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := okio.NewBufferedSink(sink)
	out.WriteString("twenty bytes of text")
	if err := out.Close(); err != nil { // adds the padding
		fmt.Println(err)
		return
	}
	fmt.Println(secret.Len())

	source, err := okio.NewBlockCipherSource(&secret, cipher.NewCBCDecrypter(block, iv), okio.RemovePKCS7)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(okio.NewBufferedSource(source).ReadLine())
	// Output:
	// 32
	// twenty bytes of text <nil>
}

func ExampleThrottler() {
	var all okio.Throttler
	if err := all.Set(1<<20, 0, 0); err != nil { // 1 MiB a second
		fmt.Println(err)
		return
	}
	var file okio.Buffer
	sink := all.Sink(&file)
	okio.TimeoutOf(sink).SetLimit(10 * time.Second) // for each wait

	src := okio.NewBufferString("few enough to pass at once")
	fmt.Println(sink.WriteBuffer(src, src.Len()))
	// Output: <nil>
}

// counter is a sink around another one, which counts what passes.
type counter struct {
	okio.Sink
	bytes int64
}

func (c *counter) WriteBuffer(src *okio.Buffer, n int64) error {
	before := src.Len()
	err := c.Sink.WriteBuffer(src, n)
	c.bytes += before - src.Len() // what was taken, if it failed too
	return err
}

// A sink that does something with what passes embeds the one below, and so flushes and closes it. The bytes move on without being copied.
func ExampleSink() {
	to := new(okio.Buffer)
	count := &counter{Sink: to}
	sink := okio.NewBufferedSink(count)
	for range 1000 {
		if _, err := sink.WriteString("some tea "); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(sink.Close(), count.bytes, to.Len())
	// Output: <nil> 9000 9000
}
