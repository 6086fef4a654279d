package examples

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// #region png
const pngSignature okio.ByteString = "\x89PNG\r\n\x1a\n"

// pngChunks calls chunk for each chunk of the image, up to the one that ends it.
func pngChunks(file io.Reader, chunk func(kind string, data *okio.Buffer) error) error {
	s := okio.NewBufferedSource(okio.FromReader(file))
	signature, err := s.ReadByteString(8)
	if err != nil {
		return err
	}
	if signature != pngSignature {
		return fmt.Errorf("not a PNG: it begins with %s", signature.Describe())
	}
	for {
		length, err := s.ReadUint32() // big-endian, as everything in PNG
		if err != nil {
			return err
		}
		if length > 1<<20 {
			return fmt.Errorf("a chunk of %d bytes", length) // lengths come from outside: bound them
		}
		var body okio.Buffer
		// ReadFull moves segments, and copies nothing but their ends.
		if err := s.ReadFull(&body, 4+int64(length)); err != nil {
			return err
		}
		want, err := s.ReadUint32()
		if err != nil {
			return err
		}
		sum := crc32.NewIEEE()
		body.Sum(sum) // does not consume
		if got := sum.Sum32(); got != want {
			return fmt.Errorf("checksum is %08x, expected %08x", got, want)
		}
		kind, err := body.ReadText(4)
		if err != nil {
			return err
		}
		if err := chunk(kind, &body); err != nil {
			return err
		}
		body.Clear() // what the callback left
		if kind == "IEND" {
			return nil
		}
	}
}

// #endregion png

func Example_pngChunks() {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 640, 480))); err != nil {
		fmt.Println(err)
		return
	}
	intact := bytes.Clone(file.Bytes())
	// #region png-use
	err := pngChunks(&file, func(kind string, data *okio.Buffer) error {
		if kind != "IHDR" {
			fmt.Println(kind)
			return nil
		}
		width, err := data.ReadUint32()
		if err != nil {
			return err
		}
		height, err := data.ReadUint32()
		if err != nil {
			return err
		}
		fmt.Println(kind, width, height)
		return nil
	})
	// #endregion png-use
	if err != nil {
		fmt.Println(err)
	}
	ignore := func(string, *okio.Buffer) error { return nil }
	fmt.Println(pngChunks(bytes.NewReader([]byte("GIF89a..")), ignore))
	fmt.Println(errors.Is(pngChunks(bytes.NewReader(intact[:50]), ignore), io.ErrUnexpectedEOF))
	intact[20] ^= 1
	fmt.Println(pngChunks(bytes.NewReader(intact), ignore))

	// Output:
	// IHDR 640 480
	// IDAT
	// IEND
	// not a PNG: it begins with [text=GIF89a..]
	// true
	// checksum is 07c1977b, expected 10ba8338
}

// #region bmp

// writeBMP writes an image in 24 bits a pixel.
func writeBMP(file io.Writer, m image.Image) error {
	const headers = 14 + 40
	bounds := m.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	padding := make([]byte, -3*width&3) // rows end on multiples of 4 bytes
	size := height * (3*width + len(padding))

	// The first error sticks, and Close returns it: no need to look at each write.
	k := okio.NewBufferedSink(okio.ToWriter(struct{ io.Writer }{file})) // without a Close: the file is the caller's
	k.WriteString("BM")
	k.WriteUint32LE(uint32(headers + size))
	k.WriteUint32LE(0)
	k.WriteUint32LE(headers) // where the pixels begin

	k.WriteUint32LE(40) // the size of this header
	k.WriteUint32LE(uint32(width))
	k.WriteUint32LE(uint32(height))
	k.WriteUint16LE(1)  // planes
	k.WriteUint16LE(24) // bits a pixel
	k.WriteUint32LE(0)  // no compression
	k.WriteUint32LE(uint32(size))
	for range 4 {
		k.WriteUint32LE(0) // resolution and palette
	}
	for y := bounds.Max.Y - 1; y >= bounds.Min.Y; y-- { // from the bottom up
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			k.WriteByte(byte(b >> 8))
			k.WriteByte(byte(g >> 8))
			k.WriteByte(byte(r >> 8))
		}
		k.Write(padding)
	}
	return k.Close()
}

// #endregion bmp

func Example_writeBMP() {
	m := image.NewRGBA(image.Rect(0, 0, 3, 2))
	m.Set(0, 0, color.RGBA{R: 255, A: 255})
	m.Set(2, 1, color.RGBA{B: 255, A: 255})
	var file okio.Buffer
	if err := writeBMP(&file, m); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(file.Len())
	header, _ := file.ReadByteString(54)
	fmt.Println(header.Hex())
	fmt.Println(file.Snapshot().Hex())
	full := errors.New("the disk is full")
	fmt.Println(writeBMP(failingWriter{full}, m) == full)

	// Output:
	// 78
	// 424d4e000000000000003600000028000000030000000200000001001800000000001800000000000000000000000000000000000000
	// 000000000000ff00000000000000ff000000000000000000
	// true
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// #region hash-copy

// copyHashed copies a file and returns the SHA-256 of what it wrote.
func copyHashed(to, from string) (sum okio.ByteString, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	out, err := os.Create(to)
	if err != nil {
		in.Close()
		return "", err
	}
	source := okio.NewBufferedSource(okio.FromReader(in))
	defer source.Close()
	hashing := okio.NewHashingSink(okio.ToWriter(out), sha256.New())
	// Closing the sink closes the file: when that fails, the copy did.
	defer func() { err = errors.Join(err, hashing.Close()) }()
	if _, err := source.ReadAllTo(hashing); err != nil {
		return "", err
	}
	return hashing.Hash(), nil
}

// #endregion hash-copy

func Example_hashWhileCopying() {
	dir, err := os.MkdirTemp("", "recipes")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, bytes.Repeat([]byte("0123456789abcdef"), 10000), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	sum, err := copyHashed(to, from)
	if err != nil {
		fmt.Println(err)
		return
	}
	copied, err := os.ReadFile(to)
	fmt.Println(len(copied), err, sum == okio.ByteString(copied).Sum(sha256.New()))
	_, err = copyHashed(to, filepath.Join(dir, "absent"))
	fmt.Println(errors.Is(err, os.ErrNotExist))

	// Output:
	// 160000 <nil> true
	// true
}

func TestThrottleUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := okio.SocketPair(64 << 10)
		received := make(chan int64)
		go func() {
			var got okio.Buffer
			n, err := got.ReadFrom(okio.NewBufferedSource(server.Source()))
			if err != nil {
				t.Error(err)
			}
			received <- n
		}()
		start := time.Now()

		// #region throttle
		// One throttler for all uploads: together they get 100 KB a second.
		var uploads okio.Throttler
		if err := uploads.Set(100_000, 0, 10_000); err != nil { // in grants of at most 10 KB
			t.Fatal(err)
		}

		sink := okio.NewBufferedSink(uploads.Sink(client.Sink()))
		sink.Timeout().SetLimit(5 * time.Second) // for each wait, whether for the throttler or for the peer
		sink.Write(make([]byte, 1_000_000))
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		// #endregion throttle

		if n := <-received; n != 1_000_000 {
			t.Errorf("%d bytes arrived", n)
		}
		// The first 10 KB pass at once.
		if d := time.Since(start).Round(time.Millisecond); d != 9900*time.Millisecond {
			t.Errorf("took %v", d)
		}
		client.Cancel(nil)
		server.Cancel(nil)
	})
}

func Example_encrypt() {
	key, macKey := []byte("16 secret bytes."), []byte("another secret")
	iv := make([]byte, aes.BlockSize) // must never be the same twice under one key: take it from crypto/rand
	block, err := aes.NewCipher(key)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file okio.Buffer

	// #region encrypt
	// Encrypt, then authenticate what was encrypted: the bytes pass the cipher first and the hash after it.
	mac, err := okio.NewHMAC(sha256.New, macKey)
	if err != nil {
		fmt.Println(err)
		return
	}
	hashing := okio.NewHashingSink(&file, mac)
	sink := okio.NewBufferedSink(okio.NewStreamCipherSink(hashing, cipher.NewCTR(block, iv)))
	sink.WriteString("attack at dawn")
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}
	code := hashing.Hash()

	// Verify before anything is decrypted.
	if !file.Sum(mac).EqualConstantTime(code) {
		fmt.Println("the file was tampered with")
		return
	}
	source := okio.NewBufferedSource(okio.NewStreamCipherSource(&file, cipher.NewCTR(block, iv)))
	line, err := source.ReadLine()
	fmt.Println(line, err)
	// #endregion encrypt

	// Output: attack at dawn <nil>
}
