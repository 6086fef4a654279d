package okio

import (
	"io/fs"
	"slices"
	"strings"
)

func fsWalk(tc *fsTest) {
	for _, d := range []string{"b", "a"} {
		tc.mkdir(d)
		tc.write(d+"/2", "")
		tc.write(d+"/1", "")
	}
	tc.wantWalk(".", false, "a", "a/1", "a/2", "b", "b/1", "b/2")
	tc.wantWalk(".", true, "a", "a/1", "a/2", "b", "b/1", "b/2")
	tc.wantWalk("absent", false, "error at absent")
	tc.wantWalk("a/1", false, "error at a/1")
	for _, err := range Walk(tc.f, tc.path("absent"), false) {
		tc.wantIs(err, fs.ErrNotExist)
	}
	for _, err := range Walk(tc.f, tc.path("a/1"), true) {
		tc.wantOther(err)
	}
	for range Walk(tc.f, tc.base, false) {
		break // and nothing goes on behind
	}

	// A directory is listed only when the walk has come to it.
	var got []string
	for p, err := range Walk(tc.f, tc.base, false) {
		step := tc.step(p, err)
		got = append(got, step)
		switch step {
		case "a":
			tc.write("a/3", "")
			tc.ok(tc.f.CreateDirectory(tc.path("b/new"), 0))
		case "a/1":
			tc.write("a/4", "") // too late
		}
	}
	if want := []string{"a", "a/1", "a/2", "a/3", "b", "b/1", "b/2", "b/new"}; !slices.Equal(got, want) {
		tc.Errorf("walk gave %q, want %q", got, want)
	}
	got = nil
	for p, err := range Walk(tc.f, tc.base, true) {
		step := tc.step(p, err)
		got = append(got, step)
		if step == "a" {
			tc.ok(DeleteRecursively(tc.f, tc.path("b"), 0))
		}
	}
	if want := []string{"a", "a/1", "a/2", "a/3", "a/4", "b"}; !slices.Equal(got, want) {
		tc.Errorf("walk gave %q, want %q", got, want)
	}
}

func fsCanonicalize(tc *fsTest) {
	tc.mkdir("d")
	tc.write("d/file", "")
	real, err := tc.f.Canonicalize(tc.path("d/file"))
	tc.ok(err)
	if real.Name() != "file" || real.IsAbs() == tc.caps.relative {
		tc.Errorf("canonical: %v", real)
	}
	again, err := tc.f.Canonicalize(real)
	if again != real || err != nil {
		tc.Errorf("canonical of canonical %v: %v, %v", real, again, err)
	}
	if tc.caps.relative {
		return
	}
	if got, err := tc.f.Canonicalize(tc.path("d/../d/file")); got != real || err != nil {
		tc.Errorf("canonical: %v, %v", got, err)
	}
}

func fsSymlinks(tc *fsTest) {
	tc.mkdir("d")
	tc.write("d/file", "text")
	tc.ok(tc.f.CreateSymlink(tc.path("link"), ParsePath("d/file"))) // relative to where the link is
	tc.ok(tc.f.CreateSymlink(tc.path("d/inner"), ParsePath("file")))
	tc.ok(tc.f.CreateSymlink(tc.path("dir"), ParsePath("d")))
	tc.ok(tc.f.CreateSymlink(tc.path("dangling"), ParsePath("absent")))

	for rel, target := range map[string]string{"link": "d/file", "d/inner": "file", "dir": "d", "dangling": "absent"} {
		m, err := tc.f.Metadata(tc.path(rel))
		tc.ok(err)
		if m.Regular || m.Directory || m.SymlinkTarget == nil || strings.ReplaceAll(m.SymlinkTarget.String(), `\`, "/") != target {
			tc.Errorf("%s: %v", rel, m)
		}
	}
	tc.want("link", "text")
	tc.want("d/inner", "text")
	tc.want("dir/file", "text")
	tc.write("link", "through") // writes through
	tc.want("d/file", "through")
	k, err := tc.f.Appending(tc.path("dir/inner"), MustExist)
	tc.ok(err)
	tc.put(k, "+")
	tc.want("d/file", "through+")

	file, err := tc.f.Canonicalize(tc.path("d/file"))
	tc.ok(err)
	for _, rel := range []string{"link", "d/inner", "dir/inner", "dir/file"} {
		if got, err := tc.f.Canonicalize(tc.path(rel)); got != file || err != nil {
			tc.Errorf("canonical %s: %v, %v, want %v", rel, got, err, file)
		}
	}
	_, err = tc.f.Canonicalize(tc.path("dangling"))
	tc.wantIs(err, fs.ErrNotExist)
	_, err = tc.f.Source(tc.path("dangling"))
	tc.wantIs(err, fs.ErrNotExist)
	_, err = tc.f.Sink(tc.path("dangling"), MustCreate)
	tc.wantIs(err, fs.ErrExist)

	list, err := tc.f.List(tc.path("dir"))
	tc.ok(err)
	if want := []Path{tc.path("dir/file"), tc.path("dir/inner")}; !slices.Equal(list, want) {
		tc.Errorf("list %v, want %v", list, want)
	}

	// The link itself is moved and deleted.
	tc.ok(tc.f.AtomicMove(tc.path("link"), tc.path("moved")))
	if m, err := tc.f.Metadata(tc.path("moved")); err != nil || m.SymlinkTarget == nil {
		tc.Errorf("moved: %v, %v", m, err)
	}
	tc.ok(tc.f.Delete(tc.path("moved"), MustExist))
	tc.ok(tc.f.Delete(tc.path("dangling"), MustExist))
	tc.ok(tc.f.Delete(tc.path("dir"), MustExist))
	tc.want("d/file", "through+")

	tc.wantIs(tc.f.CreateSymlink(tc.path("d"), ParsePath("x")), fs.ErrExist)
	tc.wantIs(tc.f.CreateSymlink(tc.path("d/file"), ParsePath("x")), fs.ErrExist)
	tc.wantIs(tc.f.CreateSymlink(tc.path("d/inner"), ParsePath("x")), fs.ErrExist)
	tc.wantIs(tc.f.CreateSymlink(tc.path("no/such"), ParsePath("x")), fs.ErrNotExist)
}

func fsSymlinkWalks(tc *fsTest) {
	tc.mkdir("a")
	tc.write("a/b", "")
	tc.ok(tc.f.CreateSymlink(tc.path("a/c"), ParsePath("../a")))
	tc.wantWalk(".", false, "a", "a/b", "a/c")
	tc.wantWalk(".", true, "a", "a/b", "a/c", "cycle at a/c")
	tc.wantWalk("a/c", false, "a/c/b", "a/c/c") // the top is entered in any case
	tc.ok(DeleteRecursively(tc.f, tc.path("a"), MustExist))
	tc.wantWalk(".", true)

	// Two links to one directory are no cycle, and neither are links to files and to nothing.
	tc.mkdir("d")
	tc.write("d/x", "kept")
	tc.ok(tc.f.CreateSymlink(tc.path("e"), ParsePath("d")))
	tc.ok(tc.f.CreateSymlink(tc.path("f"), ParsePath("e")))
	tc.ok(tc.f.CreateSymlink(tc.path("g"), ParsePath("d/x")))
	tc.ok(tc.f.CreateSymlink(tc.path("h"), ParsePath("absent")))
	tc.wantWalk(".", true, "d", "d/x", "e", "e/x", "f", "f/x", "g", "h")
	tc.wantWalk(".", false, "d", "d/x", "e", "f", "g", "h")
	tc.ok(DeleteRecursively(tc.f, tc.path("e"), MustExist)) // the link, not what it leads to
	tc.want("d/x", "kept")

	// Copying through a link to the file itself leaves it whole.
	tc.ok(Copy(tc.f, tc.path("g"), tc.path("d/x")))
	tc.want("d/x", "kept")

	// A link that leads to itself.
	tc.ok(tc.f.CreateSymlink(tc.path("loop"), ParsePath("loop")))
	_, err := tc.f.Source(tc.path("loop"))
	tc.wantOther(err)
	_, err = tc.f.Canonicalize(tc.path("loop"))
	tc.wantOther(err)
	tc.wantWalk(".", true, "d", "d/x", "f", "g", "h", "loop")
	tc.ok(tc.f.Delete(tc.path("loop"), MustExist))
}

func fsSymlinksInTheWay(tc *fsTest) {
	tc.mkdir("d")
	tc.ok(tc.f.CreateSymlink(tc.path("link"), ParsePath("d")))
	tc.ok(tc.f.CreateSymlink(tc.path("dangling"), ParsePath("absent")))
	tc.ok(tc.f.CreateDirectory(tc.path("link"), 0)) // a directory is there
	tc.wantIs(tc.f.CreateDirectory(tc.path("link"), MustCreate), fs.ErrExist)
	tc.ok(CreateDirectories(tc.f, tc.path("link/x/y"), 0))
	tc.wantExists("d/x/y", true)
	if err := CreateDirectories(tc.f, tc.path("dangling/x"), 0); err == nil {
		tc.Error("created directories beneath a link that leads nowhere")
	}
	tc.wantExists("absent", false)
	tc.write("file", "F")
	tc.ok(tc.f.AtomicMove(tc.path("file"), tc.path("link"))) // replaces the link
	tc.want("link", "F")
	tc.wantExists("d/x/y", true)
}
