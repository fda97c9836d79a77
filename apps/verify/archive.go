package main

import (
	"bytes"
	"errors"
	"strings"
)

const blockBytes = 512

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

// The files of an archive in the format of ustar, by name; their contents are parts of `bytes`.
func readArchive(archive []byte) (map[string]*file, error) {
	files := map[string]*file{}
	for {
		if len(archive) < blockBytes {
			return nil, errCut
		}
		header := archive[:blockBytes]
		archive = archive[blockBytes:]
		if isZero(header) {
			return files, checkEnd(archive)
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
		if padded > int64(len(archive)) {
			return nil, errCut
		}
		files[name] = &file{content: archive[:size:size]}
		archive = archive[padded:]
	}
}

// At the end are two blocks of zeros or more, and nothing else: what another reader would find
// behind them was not looked at here.
func checkEnd(rest []byte) error {
	if len(rest) < blockBytes {
		return errCut
	}
	if !isZero(rest) {
		return errBehind
	}
	return nil
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
