package okcache

import (
	"crypto/cipher"
	"errors"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// open reads the beginnings of both files.
func (s *encryptedStore) open(inner Snapshot) (*encryptedSnapshot, error) {
	snapshot := &encryptedSnapshot{Snapshot: inner, store: s}
	for i := range snapshot.values {
		v := &snapshot.values[i]
		if v.length = plainLength(inner.Length(i)); v.length < 0 {
			return nil, errUndecipherable
		}
		v.sealed = inner.Source(i)
		head := okio.NewBufferedSource(okio.NewLimitSource(noClose{v.sealed}, cryptHeader, false))
		p, err := head.ReadN(cryptHeader)
		if err != nil {
			return nil, err
		}
		id := p[16:32]
		if string(p[:16]) != cryptMagic || i > 0 && string(id) != string(snapshot.id) {
			return nil, errUndecipherable
		}
		snapshot.id = id
		if v.aead, err = s.cipherOf(inner.Key(), i, id, p[32:48]); err != nil {
			return nil, err
		}
		if at, ok := inner.(readerAtSnapshot); ok {
			v.at = at.ReaderAt(i)
		}
	}
	return snapshot, nil
}

// noClose is a source that stays open.
type noClose struct{ okio.Source }

func (noClose) Close() error { return nil }

// plainLength returns how long the content of a file is, -1 if no file has that length.
func plainLength(sealed int64) int64 {
	rest := sealed - cryptHeader
	pieces := (rest + cryptPiece + cryptTag - 1) / (cryptPiece + cryptTag)
	if plain := rest - pieces*cryptTag; rest >= cryptTag && plain >= (pieces-1)*cryptPiece {
		return plain
	}
	return -1
}

type encryptedSnapshot struct {
	Snapshot
	store  *encryptedStore
	id     []byte
	values [valueCount]encryptedValue
}

func (t *encryptedSnapshot) Source(value int) okio.Source { return &t.values[value] }
func (t *encryptedSnapshot) Length(value int) int64       { return t.values[value].length }

// ReaderAt decrypts the pieces that what is read lies in. Where the store beneath cannot be read at any place, nor can this.
func (t *encryptedSnapshot) ReaderAt(value int) io.ReaderAt {
	if t.values[value].at == nil {
		return nil
	}
	return &t.values[value]
}

func (t *encryptedSnapshot) Edit() (Editor, error) {
	inner, err := t.Snapshot.Edit()
	if err != nil {
		return nil, err
	}
	return &encryptedEditor{Editor: inner, store: t.store, name: t.Snapshot.Key(), id: t.id}, nil
}

// encryptedValue is a file that is being read.
type encryptedValue struct {
	length int64
	sealed okio.Source
	aead   cipher.AEAD
	at     io.ReaderAt // nil if the store beneath has none

	piece  int64 // the next
	opened okio.Buffer
	closed bool
}

func (v *encryptedValue) pieces() int64 { return max(1, (v.length+cryptPiece-1)/cryptPiece) }

// unseal opens a piece in place.
func (v *encryptedValue) unseal(p []byte, piece int64) ([]byte, error) {
	plain, err := v.aead.Open(p[:0], nonce(piece, piece == v.pieces()-1), p, nil)
	if err != nil {
		return nil, errUndecipherable
	}
	return plain, nil
}

// sizeOf returns how long a piece is in the file.
func (v *encryptedValue) sizeOf(piece int64) int64 {
	return min(cryptPiece, v.length-piece*cryptPiece) + cryptTag
}

// ReadBuffer implements [okio.Source].
func (v *encryptedValue) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if v.closed {
		return 0, okio.ErrClosed
	}
	if most == 0 {
		return 0, nil
	}
	if v.opened.Len() == 0 {
		if v.piece == v.pieces() {
			return 0, io.EOF
		}
		p := make([]byte, v.sizeOf(v.piece))
		if _, err := io.ReadFull(sourceReader{v.sealed}, p); err != nil {
			if isEOF(err) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = errUndecipherable
			}
			return 0, err
		}
		plain, err := v.unseal(p, v.piece)
		if err != nil {
			return 0, err
		}
		v.piece++
		if len(plain) == 0 {
			return 0, io.EOF
		}
		v.opened.Write(plain)
	}
	return v.opened.ReadBuffer(dst, most)
}

// Close implements [okio.Source].
func (v *encryptedValue) Close() error {
	v.closed = true
	v.opened.Clear()
	return v.sealed.Close()
}

// ReadAt implements [io.ReaderAt].
func (v *encryptedValue) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		if at >= v.length {
			return n, io.EOF
		}
		piece := at / cryptPiece
		sealed := make([]byte, v.sizeOf(piece))
		if _, err := v.at.ReadAt(sealed, cryptHeader+piece*(cryptPiece+cryptTag)); err != nil && err != io.EOF {
			return n, err
		}
		plain, err := v.unseal(sealed, piece)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], plain[at-piece*cryptPiece:])
	}
	return n, nil
}

// sourceReader reads a source into slices.
type sourceReader struct{ okio.Source }

func (s sourceReader) Read(p []byte) (int, error) {
	if r, ok := s.Source.(io.Reader); ok {
		return r.Read(p)
	}
	var b okio.Buffer
	if _, err := s.Source.ReadBuffer(&b, int64(len(p))); err != nil {
		return 0, err
	}
	return b.Read(p)
}
