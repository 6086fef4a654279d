package servecli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// planned is a file to write: a text, or the copy of a file.
type planned struct {
	name   string // without the folder that all are written to
	of     string // what asks for it, for errors
	text   []byte
	folder string // of the file to copy; "" if it is a text
	file   string
}

// writeFiles writes the stub files and the files that they name to a folder. What is there is not written over, and nothing is written unless all can be.
func writeFiles(dir string, all []imported) error {
	var list []planned
	for _, one := range all {
		some, err := one.outputs()
		if err != nil {
			return err
		}
		list = append(list, some...)
	}
	list, err := distinct(list)
	if err != nil {
		return err
	}
	if root, err := os.OpenRoot(dir); err == nil {
		list, err = missing(root, list)
		if err = errors.Join(err, root.Close()); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, o := range list {
		if err := o.write(root); err != nil {
			return fmt.Errorf("%s%w", o.of, err)
		}
	}
	return nil
}

// outputs returns what a file of mappings becomes: the files that its stubs name, then itself.
func (i imported) outputs() (list []planned, err error) {
	for _, s := range i.stubs {
		for _, r := range s.Responses {
			if r.File != "" {
				to := filepath.Join(filepath.Dir(i.name), filepath.FromSlash(r.File))
				list = append(list, planned{name: to, of: s.Where() + ": bodyFileName: ", folder: i.files, file: filepath.FromSlash(strings.TrimPrefix(r.File, files+"/"))})
			}
		}
	}
	text, err := stub.Marshal(i.stubs...)
	return append(list, planned{name: i.name, text: text}), err
}

// content returns what is written.
func (o planned) content() ([]byte, error) {
	if o.folder == "" {
		return o.text, nil
	}
	folder, err := os.OpenRoot(o.folder)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadFile(o.file)
}

// distinct returns the files with each name once. Two stubs may name the same file, or files that are the same; stub files of one name are an error.
func distinct(list []planned) (once []planned, err error) {
	named := map[string]planned{}
	for _, o := range list {
		first, taken := named[o.name]
		switch {
		case !taken:
			named[o.name] = o
			once = append(once, o)
		case first.folder == "" || o.folder == "":
			return nil, fmt.Errorf("import: two files of mappings become %s: import them one by one, to folders of their own", o.name)
		case first.folder != o.folder || first.file != o.file:
			same, err := sameContent(first, o)
			if err != nil {
				return nil, fmt.Errorf("%s%w", o.of, err)
			}
			if !same {
				return nil, fmt.Errorf("%stwo files become %s, with different contents", o.of, o.name)
			}
		}
	}
	for _, o := range once {
		for dir := filepath.Dir(o.name); dir != "." && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, taken := named[dir]; taken {
				return nil, fmt.Errorf("import: %s becomes a file and a folder", dir)
			}
		}
	}
	return once, nil
}

func sameContent(a, b planned) (bool, error) {
	one, err := a.content()
	if err != nil {
		return false, err
	}
	other, err := b.content()
	return bytes.Equal(one, other), err
}

// missing returns the files that are not there. A copy may be, if it is the same; anything else that is there is an error, as is a file in place of a folder.
func missing(root *os.Root, list []planned) ([]planned, error) {
	var errs []error
	list = slices.DeleteFunc(list, func(o planned) bool {
		same, err := o.there(root)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s%w", o.of, err))
		}
		return same
	})
	return list, errors.Join(errs...)
}

// there reports whether a copy is there already, and fails if the file cannot be written.
func (o planned) there(root *os.Root) (bool, error) {
	for dir := filepath.Dir(o.name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Stat(dir); err == nil && !info.IsDir() {
			return false, &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
		}
	}
	if _, err := root.Lstat(o.name); err != nil {
		return false, nil // what is wrong otherwise shows when it is written
	}
	if o.folder != "" {
		there, err := root.ReadFile(o.name)
		if err != nil {
			return false, err
		}
		content, err := o.content()
		if err != nil {
			return false, err
		}
		if bytes.Equal(there, content) {
			return true, nil
		}
		return false, fmt.Errorf("%s is there already, with another content", o.name)
	}
	return false, &fs.PathError{Op: "create", Path: o.name, Err: fs.ErrExist}
}

func (o planned) write(root *os.Root) error {
	content, err := o.content()
	if err != nil {
		return err
	}
	if dir := filepath.Dir(o.name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(o.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
