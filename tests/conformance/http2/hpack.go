package http2

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// HeaderDecoder decompresses the blocks of one connection, into alternating names and values.
type HeaderDecoder interface {
	SetTableSize(n uint32) // what our settings say and the peer has acknowledged
	Decode(block []byte) ([]string, error)
}

// HeaderEncoder compresses the blocks of one connection.
type HeaderEncoder interface {
	SetTableSize(n uint32) // what the peer's settings say
	Encode(fields []string) ([]byte, error)
}

// Story is the blocks of one connection, as one encoder compressed them.
type Story struct {
	Name   string
	Blocks []Block
}

// Block is one header block.
type Block struct {
	Wire      []byte
	Fields    []string
	TableSize *uint32 // the setting that changes before it
}

// LoadStories reads the stories.
func LoadStories(file string) ([]Story, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Set, Story string
		Cases      []struct {
			W string
			T *uint32
			H [][2]string
		}
	}
	if err := json.NewDecoder(z).Decode(&rows); err != nil {
		return nil, err
	}
	var stories []Story
	for _, row := range rows {
		s := Story{Name: row.Set + "/" + row.Story}
		for _, c := range row.Cases {
			b := Block{TableSize: c.T}
			if b.Wire, err = hex.DecodeString(c.W); err != nil {
				return nil, err
			}
			for _, h := range c.H {
				b.Fields = append(b.Fields, h[0], h[1])
			}
			s.Blocks = append(s.Blocks, b)
		}
		stories = append(stories, s)
	}
	return stories, nil
}

// RunDecoder puts a story to a new decoder. It returns how many blocks were decoded rightly, and what was wrong with the next one.
func RunDecoder(s Story, d HeaderDecoder) (right int, err error) {
	for _, b := range s.Blocks {
		if b.TableSize != nil {
			d.SetTableSize(*b.TableSize)
		}
		got, err := d.Decode(b.Wire)
		if err != nil {
			return right, err
		}
		if !slices.Equal(got, b.Fields) {
			return right, fmt.Errorf("decoded %q, want %q", got, b.Fields)
		}
		right++
	}
	return right, nil
}

// RunEncoder compresses the blocks of a story anew, for a decoder to read. It returns what [RunDecoder] does.
func RunEncoder(s Story, e HeaderEncoder, d HeaderDecoder) (right int, err error) {
	anew := Story{Name: s.Name}
	for _, b := range s.Blocks {
		if b.TableSize != nil {
			e.SetTableSize(*b.TableSize)
		}
		if b.Wire, err = e.Encode(b.Fields); err != nil {
			return 0, err
		}
		anew.Blocks = append(anew.Blocks, b)
	}
	return RunDecoder(anew, d)
}
