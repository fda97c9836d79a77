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
	// These say what it is as a proof, once an entry has asked for it.
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
	// These have what the notes say, where they can be read.
	checkpoint *checkpoint
	goal       *goalNote
	// It is about one goal, whether or not its note can be read.
	isOfGoal bool
	entries  []placedEntry
	tree     tree
}

// `line`: the number of its line in `entries`, from 1.
type placedEntry struct {
	entry
	line int
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
	b.checkEntries()
	b.checkRoot()
	b.checkRecords()
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
			b.isOfGoal = true
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

// What the key has not signed is not looked at.
func (b *bundle) readNote(name string) (text string, isSigned bool) {
	file := b.files[name]
	if file == nil {
		return "", false
	}
	if text, isSigned = openNote(file.content, b.key); !isSigned {
		b.add(signature, name, 0, "it is no signed note, or the key has not signed it")
	}
	return text, isSigned
}

func (b *bundle) checkEntries() {
	rest := b.content("entries")
	numbers := map[string]string{}
	var before []byte
	lines := 0
	for len(rest) > 0 {
		var line []byte
		line, rest = cutLine(rest)
		lines++
		read, isEntry := parseEntry(line)
		if !isEntry {
			b.add(malformed, "entries", lines, "it is not an index and an entry")
			continue
		}
		b.checkEntry(lines, read, before, numbers)
		before = read.index
		b.tree.add(read.data)
		b.entries = append(b.entries, placedEntry{read, lines})
	}
	b.report.entries = len(b.entries)
	b.checkCount(lines)
}

// The line keeps its line feed.
func cutLine(content []byte) (line, rest []byte) {
	end := bytes.IndexByte(content, '\n') + 1
	if end == 0 {
		end = len(content)
	}
	return content[:end], content[end:]
}

// `before`: the index of the last line before that could be read. `numbers`: the last one of each
// goal.
func (b *bundle) checkEntry(at int, read entry, before []byte, numbers map[string]string) {
	if before != nil && !isBelow(before, read.index) {
		b.add(order, "entries", at, "its index is not larger than the one before")
	}
	if b.checkpoint != nil && !isBelow(read.index, b.checkpoint.size) {
		b.add(index, "entries", at, "its index is not below the size of the log")
	}
	if b.goal != nil && string(read.goal) != b.goal.goal {
		b.add(otherGoal, "entries", at, "it is not of the goal of the bundle")
	}
	if string(read.number) != next(numbers[string(read.goal)]) {
		b.add(number, "entries", at, "its number does not come next in its goal")
	}
	numbers[string(read.goal)] = string(read.number)
	if b.isOfGoal {
		b.checkProof(read)
	}
}

// The number was read, so that it is below 2^53; without one it is 1.
func next(number string) string {
	read, _ := strconv.Atoi(number)
	return strconv.Itoa(read + 1)
}

func proofName(index []byte) string { return "proofs/" + string(index) + ".tlog-proof" }

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
	case b.checkpoint == nil:
	case !file.isOfCheckpoint:
		b.add(proofCode, name, 0, "its checkpoint is another one than that of the bundle")
	case !file.proof.leadsTo(*b.checkpoint, read.data):
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

func (b *bundle) checkRecords() {
	// Where several have one digest, the first is meant.
	byDigest := make(map[string]int, len(b.entries))
	for at := range b.entries {
		if digest := string(b.entries[at].digest); byDigest[digest] == 0 {
			byDigest[digest] = at + 1
		}
	}
	found := map[string]bool{}
	rest := b.content("records.jsonl")
	before := 0
	for at := 1; len(rest) > 0; at++ {
		var line []byte
		line, rest = cutLine(rest)
		read, isRecord := parseRecord(line)
		if !isRecord {
			b.add(malformed, "records.jsonl", at, "it is not the record of an event")
			continue
		}
		said := readEvent(read.event)
		which := byDigest[read.digest]
		if wrong := b.differences(read, said.goal, which, before); wrong != "" {
			b.add(recordCode, "records.jsonl", at, wrong)
		}
		if which > 0 {
			found[read.digest] = true
			before = max(before, which)
		}
		b.checkNamed(read, said)
	}
	for _, entry := range b.entries {
		if !found[string(entry.digest)] {
			b.add(noRecord, "entries", entry.line, "there is no record for it")
		}
	}
}

// `which`: of the entries, from 1; 0 where there is none. `before`: the last one of the records
// before.
func (b *bundle) differences(read record, goal string, which, before int) string {
	if which == 0 {
		return "no entry has its digest"
	}
	if which <= before {
		return "it is not in the order of the entries, or is there twice"
	}
	if goal == "" {
		goal = "-"
	}
	about := b.entries[which-1]
	var wrong []string
	for _, pair := range [...]struct {
		name    string
		isEqual bool
	}{
		{"place", bytes.Equal(read.place, about.place)},
		{"type", typeOf(read.kind) == string(about.kind)},
		{"goal", goal == string(about.goal)},
	} {
		if !pair.isEqual {
			wrong = append(wrong, pair.name)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return "not as its entry says: " + strings.Join(wrong, ", ")
}

func (b *bundle) checkNamed(read record, said event) {
	if string(read.kind) == "artefact_created" && said.artefactID != "" && said.artefactDigest != "" {
		b.checkContent(artefact, "artefacts/"+said.artefactID+".json", said.artefactDigest)
	}
	for _, digest := range said.facts {
		b.checkContent(fact, "facts/"+digest, digest)
	}
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

// Only where as many entries are well formed as the log has.
func (b *bundle) checkRoot() {
	if b.isOfGoal || b.checkpoint == nil || string(b.checkpoint.size) != strconv.Itoa(len(b.entries)) {
		return
	}
	if b.tree.root() != b.checkpoint.root {
		b.add(root, "checkpoint", 0, "the entries give another root")
	}
}

func (b *bundle) checkUnnamed() {
	for name, file := range b.files {
		id, isArtefact := between(name, "artefacts/", ".json")
		switch {
		case file.isNamed:
		case isArtefact && isUUID([]byte(id)):
			b.add(artefact, name, 0, "no event names it")
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
