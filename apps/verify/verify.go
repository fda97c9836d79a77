package main

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// `isNamed`: something in the bundle says that the file belongs there.
type file struct {
	content []byte
	isNamed bool
	digest  string
	// What it is as a proof, once an entry has asked for it.
	isRead, isProof, isOfCheckpoint bool
	proof                           proof
}

// Each content is hashed once, however many events name it.
func (f *file) sha256() string {
	if f.digest == "" {
		f.digest = digestOf(f.content)
	}
	return f.digest
}

// Each is read once, however many entries have its index.
func (f *file) readProof(signed *file) {
	if f.isRead {
		return
	}
	f.isRead = true
	f.proof, f.isProof = parseProof(f.content)
	f.isOfCheckpoint = signed == nil || bytes.Equal(f.proof.checkpoint, signed.content)
}

type bundle struct {
	report
	files map[string]*file
	key   note.Verifier
	// What the notes say, where they can be read.
	checkpoint *checkpoint
	goal       *goalNote
	// A note `goal` is there, whether or not it can be read.
	isOfGoal bool
	tree     tree
}

func verify(archive []byte, key note.Verifier) report {
	b := &bundle{key: key}
	var err error
	if b.files, err = readArchive(archive); err != nil {
		b.add(unreadable, "", 0, err.Error())
		return b.report
	}
	b.checkFiles()
	b.readCheckpoint()
	b.readGoal()
	b.checkLines()
	b.checkRoot()
	b.checkUnnamed()
	b.sort()
	return b.report
}

func (b *bundle) checkFiles() {
	_, b.isOfGoal = b.files["goal"]
	for _, name := range [...]string{"checkpoint", "entries", "records.jsonl"} {
		if b.files[name] == nil {
			b.add(missing, name, 0, "it is not there")
		}
	}
	for name := range b.files {
		if strings.HasPrefix(name, "proofs/") && !b.isOfGoal {
			b.add(missing, "goal", 0, "it is not there, and proofs of one goal are")
			break
		}
	}
	for _, name := range [...]string{"README", "checkpoint", "goal", "entries", "records.jsonl", "keys"} {
		if file := b.files[name]; file != nil {
			file.isNamed = true
		}
	}
}

func (b *bundle) content(name string) []byte {
	if file := b.files[name]; file != nil {
		return file.content
	}
	return nil
}

func (b *bundle) readCheckpoint() {
	text, isThere := b.readNote("checkpoint")
	if !isThere {
		return
	}
	read, isCheckpoint := parseCheckpoint(text)
	if !isCheckpoint {
		b.add(malformed, "checkpoint", 0, "it is not an origin, a size and a root, each in a line")
		return
	}
	b.checkpoint = &read
	text = string(read.size)
	b.size = &text
	if read.origin != b.key.Name() {
		b.add(origin, "checkpoint", 0, "its origin is not the name of the key")
	}
}

func (b *bundle) readGoal() {
	text, isThere := b.readNote("goal")
	if !isThere {
		return
	}
	read, isGoal := parseGoal(text)
	if !isGoal {
		b.add(malformed, "goal", 0, "it is not the line about a goal")
		return
	}
	b.goal = &read
	b.report.goal = &read.goal
	if b.checkpoint != nil && !bytes.Equal(read.size, b.checkpoint.size) {
		b.add(size, "goal", 0, "it is about another size of the log than the checkpoint")
	}
}

// A text that the key has not signed is looked at as well, for what else is wrong with it.
func (b *bundle) readNote(name string) (text string, isThere bool) {
	file := b.files[name]
	if file == nil {
		return "", false
	}
	text, isSigned := openNote(file.content, b.key)
	if !isSigned && text == "" {
		b.add(signature, name, 0, "it is no signed note")
		return "", false
	}
	if !isSigned {
		b.add(signature, name, 0, "the key has not signed it")
	}
	return text, true
}

// Goes through `entries` and `records.jsonl` side by side: the record of an entry has the number of
// its line.
func (b *bundle) checkLines() {
	entries, records := b.content("entries"), b.content("records.jsonl")
	var before []byte
	lines := 0
	for at := 1; len(entries) > 0 || len(records) > 0; at++ {
		var line, recordLine []byte
		line, entries = cutLine(entries)
		recordLine, records = cutLine(records)
		var about *entry
		if len(line) > 0 {
			lines = at
			read, isEntry := parseEntry(line)
			if isEntry {
				about = &read
				b.checkEntry(at, read, before)
				before = read.index
				b.tree.add(read.data)
			} else {
				b.add(malformed, "entries", at, "it is not an index and an entry")
				b.nameProof(line)
			}
		}
		switch {
		case len(recordLine) > 0:
			b.checkRecord(at, recordLine, about, len(line) > 0)
		case about != nil:
			b.add(noRecord, "entries", at, "there is no record for it")
		}
	}
	b.entries = lines
	b.checkCount(lines)
}

// With the line feed.
func cutLine(content []byte) (line, rest []byte) {
	end := bytes.IndexByte(content, '\n') + 1
	if end == 0 {
		end = len(content)
	}
	return content[:end], content[end:]
}

// `before`: the index of the last line before that could be read.
func (b *bundle) checkEntry(at int, read entry, before []byte) {
	if before != nil && !isBelow(before, read.index) {
		b.add(order, "entries", at, "its index is not larger than the one before")
	}
	if b.checkpoint != nil && !isBelow(read.index, b.checkpoint.size) {
		b.add(index, "entries", at, "its index is not below the size of the log")
	}
	if !b.isOfGoal {
		return
	}
	if b.goal != nil && string(read.goal) != b.goal.goal {
		b.add(otherGoal, "entries", at, "it is not of the goal of the bundle")
	}
	if string(read.number) != strconv.Itoa(at) {
		b.add(number, "entries", at, "its number in the goal is not the number of the line")
	}
	b.checkProof(read)
}

func proofName(index []byte) string { return "proofs/" + string(index) + ".tlog-proof" }

// A line that is no entry may have an index all the same; then its proof is not one that belongs to
// nothing.
func (b *bundle) nameProof(line []byte) {
	index, _, _ := bytes.Cut(line, []byte{' '})
	if file := b.files[proofName(index)]; file != nil && isDecimal(index) {
		file.isNamed = true
	}
}

func (b *bundle) checkProof(read entry) {
	name := proofName(read.index)
	file := b.files[name]
	if file == nil {
		b.add(proofCode, name, 0, "it is not there")
		return
	}
	file.isNamed = true
	file.readProof(b.files["checkpoint"])
	switch {
	case !file.isProof:
		b.add(malformed, name, 0, "it is no proof of the format tlog-proof, version 1, without extra data")
	case !bytes.Equal(file.proof.index, read.index):
		b.add(proofCode, name, 0, "it is about another index")
	case !file.isOfCheckpoint:
		b.add(proofCode, name, 0, "its checkpoint is another one than that of the bundle")
	case b.checkpoint != nil && !file.proof.leadsTo(*b.checkpoint, read.data):
		b.add(proofCode, name, 0, "it does not lead from the entry to the root")
	}
}

func (b *bundle) checkCount(lines int) {
	switch {
	case b.goal != nil && b.goal.events != strconv.Itoa(lines):
		b.add(count, "goal", 0, "it says "+b.goal.events+" events, and there are "+strconv.Itoa(lines)+" entries")
	case !b.isOfGoal && b.checkpoint != nil && string(b.checkpoint.size) != strconv.Itoa(lines):
		b.add(count, "entries", 0, "there are "+strconv.Itoa(lines)+", and the log has "+string(b.checkpoint.size))
	}
}

// `about`: the entry of the same line, if it could be read. `isLine`: there is such a line.
func (b *bundle) checkRecord(at int, line []byte, about *entry, isLine bool) {
	read, isRecord := parseRecord(line)
	if !isRecord {
		b.add(malformed, "records.jsonl", at, "it is not the record of an event")
		return
	}
	said := readEvent(read.event)
	switch {
	case about != nil:
		if wrong := differences(read, said.goal, *about); wrong != "" {
			b.add(recordCode, "records.jsonl", at, "not as its entry says: "+wrong)
		}
	case !isLine:
		b.add(recordCode, "records.jsonl", at, "there is no entry for it")
	}
	if string(read.kind) == "artefact_created" && said.artefactID != "" && said.artefactDigest != "" {
		b.checkContent(artefact, "artefacts/"+said.artefactID+".json", said.artefactDigest)
	}
	for _, digest := range said.facts {
		b.checkContent(fact, "facts/"+digest, digest)
	}
}

func differences(read record, goal string, about entry) string {
	if goal == "" {
		goal = "-"
	}
	var wrong []string
	for _, pair := range [...]struct {
		name    string
		isEqual bool
	}{
		{"place", bytes.Equal(read.place, about.place)},
		{"type", typeOf(read.kind) == string(about.kind)},
		{"goal", goal == string(about.goal)},
		{"digest", read.digest == string(about.digest)},
	} {
		if !pair.isEqual {
			wrong = append(wrong, pair.name)
		}
	}
	return strings.Join(wrong, ", ")
}

// An event names the file and its digest.
func (b *bundle) checkContent(code code, name, digest string) {
	file := b.files[name]
	if file == nil {
		b.add(code, name, 0, "an event names it, and it is not there")
		return
	}
	file.isNamed = true
	if file.sha256() != digest {
		b.add(code, name, 0, "its SHA-256 is not the one that the event names")
	}
}

func (b *bundle) checkRoot() {
	if !b.isOfGoal && b.checkpoint != nil && b.tree.root() != b.checkpoint.root {
		b.add(root, "checkpoint", 0, "the entries give another root")
	}
}

func (b *bundle) checkUnnamed() {
	for name, file := range b.files {
		id, isArtefact := between(name, "artefacts/", ".json")
		number, isProof := between(name, "proofs/", ".tlog-proof")
		switch {
		case file.isNamed:
		case isArtefact && isUUID([]byte(id)):
			b.add(artefact, name, 0, "no event names it")
		// Which proofs belong there, only the note `goal` says, which is missing.
		case isProof && isDecimal([]byte(number)) && !b.isOfGoal:
		default:
			b.add(unknownFile, name, 0, "nothing in the bundle names it")
		}
	}
}

func between(text, before, after string) (string, bool) {
	rest, isBegun := strings.CutPrefix(text, before)
	middle, isEnded := strings.CutSuffix(rest, after)
	return middle, isBegun && isEnded
}
