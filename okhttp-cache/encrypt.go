package okcache

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
)

// Encrypted returns a store that keeps everything in another one, encrypted with AES-GCM under a key of 16, 24 or 32 bytes, which it copies; any
// other length is an error. Whoever reads the files learns neither URLs nor heads nor bodies, only how long the files are and when they were used.
// Whoever changes, swaps or truncates one makes the entry unreadable. Entries that were there before, or that have another key, are not found.
// OkHttp cannot read such a directory.
//
// A body is checked in pieces of 64 KiB, each before it is handed out, so a damaged body ends with an error where the damage is.
func Encrypted(store Store, key []byte) (Store, error) {
	switch len(key) {
	case 16, 24, 32:
	default:
		return nil, fmt.Errorf("okcache: a key of %d bytes, but AES has keys of 16, 24 or 32", len(key))
	}
	names, err := hkdf.Key(sha256.New, key, nil, "okcache names", sha256.Size)
	if err != nil {
		return nil, err
	}
	return &encryptedStore{store, append([]byte(nil), key...), names}, nil
}

// Each file begins with a word that tells the format, an id that both files of an entry have, and a salt. The key of a file depends on the caller's key, the
// salt, the id, the name of the entry and which of the two files it is. Pieces follow, sealed with AES-GCM, whose nonces count them and tell the last.
const (
	cryptMagic  = "okcache AES-GCM\n"
	cryptHeader = 16 + 16 + 16
	cryptPiece  = 64 << 10
	cryptTag    = 16
)

var errUndecipherable = errors.New("okcache: a stored file is damaged, or of another key")

type encryptedStore struct {
	Store
	key, names []byte
}

// hidden returns the name that an entry has in the store beneath, which tells nothing of the URL.
func (s *encryptedStore) hidden(key string) string {
	mac := hmac.New(sha256.New, s.names)
	mac.Write([]byte(key))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// cipherOf returns the cipher of a file.
func (s *encryptedStore) cipherOf(name string, value int, id, salt []byte) (cipher.AEAD, error) {
	info := fmt.Sprintf("okcache value %d of %s\n%s", value, name, id)
	key, err := hkdf.Key(sha256.New, s.key, salt, info, len(s.key))
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// nonce returns that of a piece.
func nonce(piece int64, last bool) []byte {
	var n [12]byte
	binary.BigEndian.PutUint64(n[:], uint64(piece))
	if last {
		n[11] = 1
	}
	return n[:]
}

func (s *encryptedStore) Get(key string) (Snapshot, error) {
	name := s.hidden(key)
	inner, err := s.Store.Get(name)
	if err != nil {
		return nil, err
	}
	snapshot, err := s.open(inner)
	if err != nil {
		inner.Close()
		if !damaged(err) {
			return nil, err
		}
		s.Store.Remove(name)
		return nil, errNoEntry
	}
	return snapshot, nil
}

func (s *encryptedStore) Remove(key string) (bool, error) { return s.Store.Remove(s.hidden(key)) }

func (s *encryptedStore) Edit(key string) (Editor, error) {
	name := s.hidden(key)
	inner, err := s.Store.Edit(name)
	if err != nil {
		return nil, err
	}
	id := make([]byte, 16)
	rand.Read(id)
	return &encryptedEditor{Editor: inner, store: s, name: name, id: id, fresh: true}, nil
}

// Snapshots leaves out what is not encrypted like this. Entries of other keys are among them, but cannot be read.
func (s *encryptedStore) Snapshots() iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		for inner, err := range s.Store.Snapshots() {
			if err != nil {
				yield(nil, err)
				return
			}
			if snapshot, err := s.open(inner); err == nil && !yield(snapshot, nil) {
				return
			}
		}
	}
}
