package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Returns the text of a signed note, also where the key has not signed it: `isSigned` says so. There
// is no text where it is no note at all.
func openNote(content []byte, key note.Verifier) (text string, isSigned bool) {
	opened, err := note.Open(content, note.VerifierList(key))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case err == nil:
		return opened.Text, isCanonical(opened.Sigs)
	case errors.As(err, &unverified):
		return unverified.Note.Text, false
	case errors.As(err, &invalid):
		return string(content[:bytes.LastIndex(content, []byte("\n\n"))+1]), false
	default:
		return "", false
	}
}

// The library also takes base64 of which the last bits, which mean nothing, are set.
func isCanonical(signatures []note.Signature) bool {
	for _, one := range signatures {
		if _, err := base64.StdEncoding.Strict().DecodeString(one.Base64); err != nil {
			return false
		}
	}
	return true
}

// `size`: its digits, which may be more than a number of Go holds.
type checkpoint struct {
	origin string
	size   []byte
	root   tlog.Hash
}

func parseCheckpoint(text string) (checkpoint, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" || lines[3] != "" {
		return checkpoint{}, false
	}
	root, isHash := parseHash([]byte(lines[2]))
	size := []byte(lines[1])
	return checkpoint{lines[0], size, root}, isHash && isDecimal(size)
}

// What the note `goal` says.
type goalNote struct {
	goal          string
	events, state string
	size          []byte
}

func parseGoal(text string) (goalNote, bool) {
	line, isWhole := strings.CutSuffix(text, "\n")
	words := strings.Split(line, " ")
	if !isWhole || len(words) != 9 {
		return goalNote{}, false
	}
	read := goalNote{words[2], words[4], words[8], []byte(words[6])}
	isGoal := words[0] == "sett/1" && words[1] == "goal" && isUUID([]byte(read.goal)) &&
		words[3] == "events" && isDecimal([]byte(read.events)) &&
		words[5] == "log" && isDecimal(read.size) &&
		words[7] == "state" && (read.state == "open" || read.state == "closed")
	return read, isGoal
}

func parseHash(text []byte) (tlog.Hash, bool) {
	var hash tlog.Hash
	// 44 characters are 33 bytes where the last is no `=`.
	var decoded [33]byte
	if len(text) != 44 {
		return hash, false
	}
	length, err := base64.StdEncoding.Strict().Decode(decoded[:], text)
	if err != nil || length != tlog.HashSize {
		return hash, false
	}
	copy(hash[:], decoded[:])
	return hash, true
}
