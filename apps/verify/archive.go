package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
)

const blockBytes = 512

// Bytes that are read at once; more only where a line has more.
const pieceBytes = 256 << 10

var (
	errCut      = errors.New("the archive ends too early")
	errNotUstar = errors.New("it is no tar archive (ustar)")
	errChecksum = errors.New("the checksum of a file's header is wrong")
	errSize     = errors.New("the size of a file is no octal number")
	errNotPlain = errors.New("it has something that is no plain file")
	errAbsolute = errors.New("a name of a file is absolute")
	errUpwards  = errors.New("a name of a file has ..")
	errOther    = errors.New("a name of a file has other characters than those of ASCII")
	errTwice    = errors.New("a name of a file is there twice")
	errBehind   = errors.New("something follows the end of the archive")
)

// Whether it is about what the archive is, and not about reading it.
func isOfForm(err error) bool {
	return slices.Contains([]error{
		errCut, errNotUstar, errChecksum, errSize, errNotPlain, errAbsolute, errUpwards, errOther,
		errTwice, errBehind,
	}, err)
}

// The files of an archive in the format of ustar, by name; their contents stay in `archive`, which
// is read once. Of artefacts and facts, the digests are kept.
func readArchive(archive io.ReaderAt, length int64) (map[string]*file, error) {
	files := map[string]*file{}
	// Small files behind each other are read together.
	blocks := bufio.NewReaderSize(io.NewSectionReader(archive, 0, length), pieceBytes)
	header := make([]byte, blockBytes)
	for at := int64(0); ; {
		if length-at < blockBytes {
			return nil, errCut
		}
		if _, err := io.ReadFull(blocks, header); err != nil {
			return nil, err
		}
		at += blockBytes
		if isZero(header) {
			return files, checkEnd(blocks, length-at)
		}
		size, err := readHeader(header)
		if err != nil {
			return nil, err
		}
		name := nameOf(header)
		if err := checkName(name); err != nil {
			return nil, err
		}
		if _, isThere := files[name]; isThere {
			return nil, errTwice
		}
		padded := (size + blockBytes - 1) / blockBytes * blockBytes
		if padded > length-at {
			return nil, errCut
		}
		found := &file{content: io.NewSectionReader(archive, at, size)}
		files[name] = found
		at += padded
		left := padded
		if isContent(name) {
			hash := sha256.New()
			if _, err := io.CopyN(hash, blocks, size); err != nil {
				return nil, err
			}
			found.sha256 = [sha256.Size]byte(hash.Sum(nil))
			left -= size
		}
		if left > pieceBytes {
			// What is skipped is not read.
			blocks.Reset(io.NewSectionReader(archive, at, length-at))
		} else if _, err := blocks.Discard(int(left)); err != nil {
			return nil, err
		}
	}
}

func isContent(name string) bool {
	return strings.HasPrefix(name, "artefacts/") || strings.HasPrefix(name, "facts/")
}

// At the end are two blocks of zeros or more, and nothing else: what another reader would find
// behind them was not looked at here.
func checkEnd(rest io.Reader, length int64) error {
	if length < blockBytes {
		return errCut
	}
	block := make([]byte, pieceBytes)
	for {
		count, err := rest.Read(block)
		if !isZero(block[:count]) {
			return errBehind
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// The size of the file that follows.
func readHeader(header []byte) (int64, error) {
	if !bytes.Equal(header[257:265], []byte("ustar\x0000")) {
		return 0, errNotUstar
	}
	sum, isNumber := octal(header[148:156])
	if !isNumber || sum != checksum(header) {
		return 0, errChecksum
	}
	if kind := header[156]; kind != '0' && kind != 0 {
		return 0, errNotPlain
	}
	size, isNumber := octal(header[124:136])
	if !isNumber {
		return 0, errSize
	}
	return size, nil
}

// The sum of all bytes, where its own field counts as spaces.
func checksum(header []byte) int64 {
	sum := int64(8 * ' ')
	for at, value := range header {
		if at < 148 || at >= 156 {
			sum += int64(value)
		}
	}
	return sum
}

// At most 12 digits, between spaces and NULs.
func octal(field []byte) (int64, bool) {
	digits := bytes.Trim(field, " \x00")
	value := int64(0)
	for _, digit := range digits {
		if digit < '0' || digit > '7' {
			return 0, false
		}
		value = value*8 + int64(digit-'0')
	}
	return value, len(digits) > 0
}

func nameOf(header []byte) string {
	name := string(untilNUL(header[0:100]))
	if prefix := untilNUL(header[345:500]); len(prefix) > 0 {
		return string(prefix) + "/" + name
	}
	return name
}

// A name with `/` at its end is that of a folder.
func checkName(name string) error {
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return errNotPlain
	case strings.ContainsFunc(name, func(sign rune) bool { return sign < ' ' || sign > '~' }):
		return errOther
	case name[0] == '/':
		return errAbsolute
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return errUpwards
		}
	}
	return nil
}

func untilNUL(field []byte) []byte {
	text, _, _ := bytes.Cut(field, []byte{0})
	return text
}

func isZero(block []byte) bool {
	for _, value := range block {
		if value != 0 {
			return false
		}
	}
	return true
}
