package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// The words of a line of `entries`. `data`: what is in the tree, with its line feed.
type entry struct {
	index, place, kind, goal, number, digest, data []byte
}

// `line`: with its line feed, if it has one.
func parseEntry(line []byte) (entry, bool) {
	text, isWhole := bytes.CutSuffix(line, []byte{'\n'})
	words := bytes.SplitN(text, []byte{' '}, 8)
	if !isWhole || len(words) != 7 {
		return entry{}, false
	}
	read := entry{words[0], words[2], words[3], words[4], words[5], words[6], line[len(words[0])+1:]}
	isEntry := isCount(read.index) &&
		string(words[1]) == "sett/1" &&
		isPlace(read.place) &&
		isType(read.kind) &&
		(string(read.goal) == "-" || isUUID(read.goal)) &&
		isCount(read.number) && read.number[0] != '0' &&
		isHex(read.digest, 64)
	return read, isEntry
}

// The values of a record, read.
type record struct {
	place, kind, event []byte
	digest             digest
}

type digest = [sha256.Size]byte

// A record is written in one way only, so that each other way is not the form.
func parseRecord(line []byte) (record, bool) {
	text, isWhole := bytes.CutSuffix(line, []byte{'\n'})
	if !isWhole || !utf8.Valid(text) {
		return record{}, false
	}
	rest := text
	var values [4][]byte
	for at, name := range [...]string{`{"salt":`, `,"place":`, `,"type":`, `,"event":`} {
		var isThere bool
		if rest, isThere = bytes.CutPrefix(rest, []byte(name)); !isThere {
			return record{}, false
		}
		if values[at], rest, isThere = cutText(rest); !isThere {
			return record{}, false
		}
	}
	if string(rest) != "}" || !isHex(values[0], 32) {
		return record{}, false
	}
	return record{values[1], values[2], values[3], sha256.Sum256(text)}, true
}

// Reads a text in quotation marks from the beginning of `line`.
func cutText(line []byte) (text, rest []byte, isText bool) {
	if len(line) == 0 || line[0] != '"' {
		return nil, nil, false
	}
	line = line[1:]
	end := bytes.IndexAny(line, `"\`)
	if end >= 0 && line[end] == '"' {
		return line[:end], line[end+1:], !hasControl(line[:end])
	}
	for at := 0; at < len(line); at++ {
		switch value := line[at]; {
		case value == '"':
			return text, line[at+1:], true
		case value < 0x20:
			return nil, nil, false
		case value != '\\':
			text = append(text, value)
		default:
			meant, length := unescape(line[at:])
			if length == 0 {
				return nil, nil, false
			}
			text = append(text, meant)
			at += length - 1
		}
	}
	return nil, nil, false
}

var escapes = map[byte]byte{
	'"': '"', '\\': '\\', 'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r',
}

// The byte that is meant, and how many bytes say it: 0 where it is written otherwise than here.
func unescape(text []byte) (byte, int) {
	if len(text) < 2 {
		return 0, 0
	}
	if meant, isShort := escapes[text[1]]; isShort {
		return meant, 2
	}
	if len(text) < 6 || !bytes.HasPrefix(text, []byte(`\u00`)) || !isHex(text[4:6], 2) {
		return 0, 0
	}
	var meant [1]byte
	if _, err := hex.Decode(meant[:], text[4:6]); err != nil || meant[0] >= 0x20 || hasShort(meant[0]) {
		return 0, 0
	}
	return meant[0], 6
}

func hasShort(value byte) bool {
	return bytes.IndexByte([]byte("\b\t\n\f\r"), value) >= 0
}

func hasControl(text []byte) bool {
	for _, value := range text {
		if value < 0x20 {
			return true
		}
	}
	return false
}

// The TYPE of an entry with this record.
func typeOf(kind []byte) string {
	if isType(kind) {
		return string(kind)
	}
	return "unreadable"
}

func isType(word []byte) bool {
	for _, value := range word {
		if value != '_' && (value < 'a' || value > 'z') {
			return false
		}
	}
	return len(word) >= 1 && len(word) <= 64
}

func isPlace(word []byte) bool {
	first, second, isPair := bytes.Cut(word, []byte{'-'})
	return string(word) == "-" || isPair && isDecimal(first) && isDecimal(second)
}

// Without zeros at the beginning. It may have any length.
func isDecimal(word []byte) bool {
	for _, value := range word {
		if value < '0' || value > '9' {
			return false
		}
	}
	return len(word) == 1 || len(word) > 1 && word[0] != '0'
}

// A decimal below 2^53.
func isCount(word []byte) bool {
	return isDecimal(word) && isBelow(word, []byte("9007199254740992"))
}

// Compares two decimals.
func isBelow(one, other []byte) bool {
	if len(one) != len(other) {
		return len(one) < len(other)
	}
	return bytes.Compare(one, other) < 0
}

// In small letters.
func isUUID(word []byte) bool {
	if len(word) != 36 {
		return false
	}
	for at, value := range word {
		isDash := at == 8 || at == 13 || at == 18 || at == 23
		if isDash != (value == '-') || !isDash && !isHexDigit(value) {
			return false
		}
	}
	return true
}

// In small letters.
func isHex(word []byte, length int) bool {
	for _, value := range word {
		if !isHexDigit(value) {
			return false
		}
	}
	return len(word) == length
}

func isHexDigit(value byte) bool {
	return value >= '0' && value <= '9' || value >= 'a' && value <= 'f'
}

// Of 64 hexadecimal digits, which were read as such.
func digestOf(word []byte) digest {
	var read digest
	// The digits are right.
	_, _ = hex.Decode(read[:], word)
	return read
}
