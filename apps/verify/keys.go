package main

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// From the checkpoint of `size` entries on, `to` is the key of the log.
type rotation struct {
	size     int64
	from, to logKey
	// The checkpoint that both have signed, and the way from it to that of the bundle.
	signed      checkpoint
	consistency []byte
}

// `text`: the verifier key.
type logKey struct {
	note.Verifier
	text string
}

// Where there are rotations, the first key is `from` of the first.
type logKeys struct {
	first     note.Verifier
	rotations []rotation
}

func (k logKeys) last() note.Verifier {
	if len(k.rotations) == 0 {
		return k.first
	}
	return k.rotations[len(k.rotations)-1].to
}

func (k logKeys) of(size int64) note.Verifier {
	key := k.first
	for _, one := range k.rotations {
		if one.size <= size {
			key = one.to
		}
	}
	return key
}

// Returns the checkpoint that the key of its size has signed.
func (k logKeys) openCheckpoint(content []byte) (signed checkpoint, text string, isSigned bool) {
	end := bytes.LastIndex(content, []byte("\n\n"))
	if end < 0 {
		return checkpoint{}, "", false
	}
	said, isCheckpoint := parseCheckpoint(string(content[:end+1]))
	if !isCheckpoint {
		return checkpoint{}, "", false
	}
	size, _ := strconv.ParseInt(string(said.size), 10, 64)
	text, isSigned = openNote(content, k.of(size))
	return said, text, isSigned
}

var inRotations = regexp.MustCompile(`^rotations/([^/]+)/`)

func rotationName(size int64, name string) string {
	return "rotations/" + strconv.FormatInt(size, 10) + "/" + name
}

func (b *bundle) readKeys() error {
	b.keys = logKeys{first: b.key}
	var shown []rotation
	isCut, isKnown := false, false
	b.rotated = sizesBelow(b.files, inRotations)
	for _, size := range b.rotated {
		files, err := b.smallFiles(func(name string) string { return rotationName(size, name) }, "record", "handover", "consistency")
		if err != nil {
			return err
		}
		if isCut {
			continue
		}
		read, wrong := b.readRotation(size, files, shown)
		if isCut = wrong != ""; isCut {
			b.add(keyCode, rotationName(size, wrong), 0, "it does not show that another key has taken over")
			continue
		}
		shown = append(shown, read)
		isKnown = isKnown || isSameKey(read.from, b.key) || isSameKey(read.to, b.key)
	}
	if isKnown {
		b.keys = logKeys{shown[0].from, shown}
	}
	return nil
}

// Names the file that is not right.
func (b *bundle) readRotation(size int64, files map[string][]byte, before []rotation) (read rotation, wrong string) {
	own, isRecord := parseRecord(append(bytes.Clone(files["record"]), '\n'))
	if !isRecord || string(own.place) != "-" || string(own.kind) != "notary_key" {
		return read, "record"
	}
	said, _ := membersOf(own.event, "from", "to")
	from, isFrom := b.readLogKey(said["from"])
	to, isTo := b.readLogKey(said["to"])
	if !isFrom || !isTo || from.text == to.text || len(before) > 0 && before[len(before)-1].to.text != from.text {
		return read, "record"
	}
	found, isReceipt := parseReceipt(files["handover"])
	text, isByOld := openNote(found.proof.checkpoint, from)
	_, isByNew := openNote(found.proof.checkpoint, to)
	signed, isCheckpoint := parseCheckpoint(text)
	if !isReceipt || !isByOld || !isByNew || !isCheckpoint || signed.origin != b.key.Name() ||
		string(signed.size) != strconv.FormatInt(size, 10) ||
		string(found.proof.index) != strconv.FormatInt(size-1, 10) ||
		digestOf(found.entry.digest) != own.digest || !found.proof.leadsTo(signed, found.data) {
		return read, "handover"
	}
	return rotation{size, from, to, signed, files["consistency"]}, ""
}

// The library also takes other ways to write the same key.
func (b *bundle) readLogKey(value []byte) (logKey, bool) {
	text, isText := textOf(value)
	key, err := note.NewVerifier(text)
	if !isText || err != nil || key.Name() != b.key.Name() {
		return logKey{}, false
	}
	parts := strings.SplitN(text, "+", 3)
	raw, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(raw) != 33 {
		return logKey{}, false
	}
	written, err := note.NewEd25519VerifierKey(key.Name(), raw[1:])
	return logKey{key, text}, err == nil && written == text
}

func isSameKey(one logKey, other note.Verifier) bool {
	known, isWritten := other.(logKey)
	return isWritten && known.text == one.text
}

func (b *bundle) checkConsistency() error {
	if b.checkpoint == nil {
		return nil
	}
	own, _ := strconv.ParseInt(string(b.checkpoint.size), 10, 64)
	for _, one := range b.keys.rotations {
		hashes, areHashes := parseHashes(one.consistency)
		if one.consistency == nil || !areHashes || one.size > own ||
			!isBeginning(hashes, one.size, one.signed.root, own, b.checkpoint.root) {
			b.add(keyCode, rotationName(one.size, "consistency"), 0, "it does not lead from this log to that of the bundle")
		}
	}
	return nil
}
