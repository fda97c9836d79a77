package main

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A larger one is refused.
const maxNoteBytes = 1_000_000

// Returns the text of a note that the key has signed.
func openNote(content []byte, key note.Verifier) (text string, isSigned bool) {
	if len(content) > maxNoteBytes {
		return "", false
	}
	opened, err := note.Open(content, note.VerifierList(key))
	if err != nil || !isStrict(content[len(opened.Text)+1:], opened.Text, key) {
		return "", false
	}
	return opened.Text, true
}

// The library also takes base64 of which the last bits, which mean nothing, are set; and of several
// signatures by one key, it verifies the first.
func isStrict(signatures []byte, text string, key note.Verifier) bool {
	for line := range strings.Lines(string(signatures)) {
		name, written, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "— ")), " ")
		signature, err := base64.StdEncoding.Strict().DecodeString(written)
		if err != nil || len(signature) < 4 {
			return false
		}
		isByKey := name == key.Name() && binary.BigEndian.Uint32(signature) == key.KeyHash()
		if isByKey && !key.Verify([]byte(text), signature[4:]) {
			return false
		}
	}
	return true
}

// `size`: its digits.
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
	return checkpoint{lines[0], size, root}, isHash && isCount(size)
}

// It has what the note `goal` says.
type goalNote struct {
	goal          string
	events, state string
	size          []byte
	after         *formerLog
}

// A log that was lost, after which this one was begun anew.
type formerLog struct {
	Origin string     `json:"origin"`
	Size   jsonNumber `json:"size"`
}

func newFormerLog(origin, size string) *formerLog {
	isOther := func(r rune) bool { return r < '!' || r > '~' }
	if origin == "" || strings.IndexFunc(origin, isOther) >= 0 || !isCount([]byte(size)) {
		return nil
	}
	return &formerLog{origin, jsonNumber(size)}
}

func parseGoal(text string) (goalNote, bool) {
	line, isWhole := strings.CutSuffix(text, "\n")
	words := strings.Split(line, " ")
	var after *formerLog
	if len(words) == 12 && words[9] == "after" {
		after = newFormerLog(words[10], words[11])
	}
	if !isWhole || len(words) != 9 && after == nil {
		return goalNote{}, false
	}
	read := goalNote{words[2], words[4], words[8], []byte(words[6]), after}
	isGoal := words[0] == "sett/1" && words[1] == "goal" && isUUID([]byte(read.goal)) &&
		words[3] == "events" && isCount([]byte(read.events)) &&
		words[5] == "log" && isCount(read.size) &&
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
