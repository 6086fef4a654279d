package okcache

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"

	"github.com/okhttp-go/ok/okio"
)

// encryptedEditor seals what is written.
type encryptedEditor struct {
	Editor
	store *encryptedStore
	name  string
	id    []byte
	fresh bool // the id is new, so that both values have to be written
	wrote [valueCount]bool
	sinks []*encryptedSink
}

func (e *encryptedEditor) Sink(value int) (okio.Sink, error) {
	inner, err := e.Editor.Sink(value)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	aead, err := e.store.cipherOf(e.name, value, e.id, salt)
	if err != nil {
		return nil, err
	}
	k := &encryptedSink{sealed: okio.NewBufferedSink(inner), aead: aead}
	k.sealed.WriteString(cryptMagic) // whose failure comes back when it is closed
	k.sealed.Write(e.id)
	k.sealed.Write(salt)
	e.wrote[value] = true
	e.sinks = append(e.sinks, k)
	return k, nil
}

func (e *encryptedEditor) Commit() error {
	for _, wrote := range e.wrote {
		if e.fresh && !wrote {
			e.Editor.Abort()
			return errors.New("okcache: a new entry of which a value was not written")
		}
	}
	for _, k := range e.sinks {
		if err := k.Close(); err != nil {
			e.Editor.Abort()
			return err
		}
	}
	return e.Editor.Commit()
}

// encryptedSink holds a piece back until it knows whether it is the last.
type encryptedSink struct {
	sealed *okio.BufferedSink
	aead   cipher.AEAD
	plain  okio.Buffer
	piece  int64
	closed bool
	err    error
}

func (k *encryptedSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if k.closed {
		return okio.ErrClosed
	}
	if err := k.plain.WriteBuffer(src, n); err != nil {
		return err
	}
	for k.err == nil && k.plain.Len() > cryptPiece {
		k.seal(cryptPiece, false)
	}
	return k.err
}

func (k *encryptedSink) seal(n int64, last bool) {
	p, err := k.plain.ReadN(n)
	if err == nil {
		_, err = k.sealed.Write(k.aead.Seal(p[:0:0], nonce(k.piece, last), p, nil))
	}
	k.piece++
	k.err = err
}

func (k *encryptedSink) Flush() error { return nil } // a piece that is not whole cannot go out

func (k *encryptedSink) Close() error {
	if k.closed {
		return k.err
	}
	k.closed = true
	if k.err == nil {
		k.seal(k.plain.Len(), true)
	}
	if err := k.sealed.Close(); k.err == nil {
		k.err = err
	}
	return k.err
}
