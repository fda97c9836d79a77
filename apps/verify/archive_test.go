package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// One file in an archive, with headers that the library would not write.
func entryOf(change func(header []byte), name, content string) []byte {
	header := make([]byte, blockBytes)
	copy(header, name)
	copy(header[100:], "0000644\x000000000\x000000000\x00")
	copy(header[124:], fmt.Sprintf("%011o\x00%011o\x00", len(content), 0))
	header[156] = '0'
	copy(header[257:], "ustar\x0000")
	if change != nil {
		change(header)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", checksum(header)))
	padded := (len(content) + blockBytes - 1) / blockBytes * blockBytes
	return append(header, append([]byte(content), make([]byte, padded-len(content))...)...)
}

func TestArchives(t *testing.T) {
	end := make([]byte, 2*blockBytes)
	with := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	kind := func(value byte) func([]byte) { return func(header []byte) { header[156] = value } }
	one := entryOf(nil, "entries", "hello")
	for _, example := range []struct {
		name     string
		archive  []byte
		expected error
	}{
		{"nothing", nil, errCut},
		{"text", bytes.Repeat([]byte("x"), 4096), errNotUstar},
		{"gzip", with([]byte("\x1f\x8b"), make([]byte, 4096)), errNotUstar},
		{"zeros", end, nil},
		{"zeros to a gigabyte's end, in small", make([]byte, 64*blockBytes), nil},
		{"one block of zeros", end[:blockBytes], errCut},
		{"no end", one, errCut},
		{"a whole one", with(one, end), nil},
		{"a whole one with more blocks of zeros", with(one, end, end, end), nil},
		{"something behind the end", with(one, end, one, end), errBehind},
		{"a cut content", with(one)[:blockBytes+10], errCut},
		{"a cut header", with(one, one)[:2*blockBytes+10], errCut},
		{"the same twice", with(one, one, end), errTwice},
		{"a link", with(entryOf(kind('2'), "entries", ""), end), errNotPlain},
		{"a hard link", with(entryOf(kind('1'), "entries", ""), end), errNotPlain},
		{"a device", with(entryOf(kind('3'), "entries", ""), end), errNotPlain},
		{"a folder", with(entryOf(kind('5'), "facts/", ""), end), errNotPlain},
		{"a folder of old times", with(entryOf(nil, "facts/", ""), end), errNotPlain},
		{"a header of pax", with(entryOf(kind('x'), "pax", "12 path=abc\n"), one, end), errNotPlain},
		{"a long name of GNU", with(entryOf(kind('L'), "././@LongLink", "x"), one, end), errNotPlain},
		{"no name", with(entryOf(nil, "", "x"), end), errNotPlain},
		{"an absolute name", with(entryOf(nil, "/entries", "x"), end), errAbsolute},
		{"a name upwards", with(entryOf(nil, "facts/../entries", "x"), end), errUpwards},
		{"a name that is upwards", with(entryOf(nil, "..", "x"), end), errUpwards},
		{"dots that are no way upwards", with(entryOf(nil, "facts/..x", "x"), end), nil},
		{"a name that is no UTF-8", with(entryOf(nil, "\xff\x1b\n", "x"), end), errOther},
		{"a huge size", with(entryOf(func(header []byte) { copy(header[124:], "77777777777\x00") }, "entries", "x"), end), errCut},
		{"a size of 12 digits", with(entryOf(func(header []byte) { copy(header[124:], "777777777777") }, "entries", "x"), end), errCut},
		{"a size in bits", with(entryOf(func(header []byte) { header[124] = 0x80 }, "entries", "x"), end), errSize},
		{"a size below nothing", with(entryOf(func(header []byte) { copy(header[124:], "-0000000001\x00") }, "entries", "x"), end), errSize},
		{"no size", with(entryOf(func(header []byte) { copy(header[124:136], make([]byte, 12)) }, "entries", "x"), end), errSize},
		{"a wrong checksum", with(func() []byte { wrong := bytes.Clone(one); wrong[0] = 'x'; return wrong }(), end), errChecksum},
		{"the magic of GNU", with(entryOf(func(header []byte) { copy(header[257:], "ustar  \x00") }, "entries", "x"), end), errNotUstar},
	} {
		files, err := archiveOf(example.archive)
		if err != example.expected {
			t.Errorf("%s: %v", example.name, err)
		}
		if found := verified(example.archive, newMaker(t).key); err != nil &&
			(len(found.problems) != 1 || found.problems[0].place() != "-") || len(found.problems) == 0 {
			t.Errorf("%s: %q", example.name, problemsOf(found))
		}
		if file := files["entries"]; file != nil && contentOf(file) != "hello" {
			t.Errorf("%s: the file has %q", example.name, contentOf(file))
		}
	}
}

func TestLongNamesAreRead(t *testing.T) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	name := string(bytes.Repeat([]byte("a"), 90)) + "/" + string(bytes.Repeat([]byte("b"), 90))
	must(t, writer.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Format: tar.FormatUSTAR}))
	must(t, writer.Close())
	files, err := archiveOf(archive.Bytes())
	if err != nil || files[name] == nil {
		t.Error(err, files)
	}
}

// It notes how much is asked for at once.
type noting struct {
	from io.ReaderAt
	most int
}

func (n *noting) ReadAt(into []byte, at int64) (int, error) {
	n.most = max(n.most, len(into))
	return n.from.ReadAt(into, at)
}

func TestNoMoreThanAPieceIsReadAtOnce(t *testing.T) {
	m := newMaker(t)
	m.event("-", "notary_began", "{}")
	for at := range 400 {
		m.event(place(at), "bid_placed", `{"goal_id":"`+goalA+`","data":{"word":"`+strings.Repeat("x", 2000)+`"}}`)
	}
	made := m.bundle("")
	made["README"] = strings.Repeat("a", 3*pieceBytes)
	archive := pack(t, made)
	from := &noting{from: bytes.NewReader(archive)}
	found, err := verify(from, int64(len(archive)), m.key, nil, nil, outsideTrust{})
	if err != nil || len(found.problems) > 0 || found.entries != 401 {
		t.Fatalf("%v, %q", err, problemsOf(found))
	}
	if len(archive) < 5*pieceBytes || from.most > pieceBytes {
		t.Errorf("of %d bytes, %d were read at once", len(archive), from.most)
	}
}

func TestLinesLongerThanAPieceAreRead(t *testing.T) {
	m := newMaker(t)
	m.event("-", "notary_began", "{}")
	m.event(place(1), "bid_placed", `{"goal_id":"`+goalA+`","data":{"word":"`+strings.Repeat("x", 3*pieceBytes)+`"}}`)
	m.event(place(2), "bid_placed", `{"goal_id":"`+goalA+`"}`)
	expectProblems(t, m, m.bundle(""))
	expectProblems(t, m, m.bundle(goalA))
}
