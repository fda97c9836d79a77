package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// `isNamed`: something in the bundle says that the file belongs there. `sha256`: only of artefacts
// and facts.
type file struct {
	content *io.SectionReader
	isNamed bool
	sha256  digest
}

// A bundle may be larger than the memory: `each` gets one line after the other, with its line feed,
// if it has one. The line stays as it is until `each` returns.
func (f *file) eachLine(each func(at int, line []byte)) error {
	lines := newLines(f)
	for at := 1; ; at++ {
		line, err := lines.next()
		if len(line) > 0 {
			each(at, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// The lines of a file, each behind the one before.
type lineReader struct {
	from *bufio.Reader
	// It has the beginning of a line that is longer than what is read at once.
	long []byte
}

func newLines(f *file) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(io.NewSectionReader(f.content, 0, f.content.Size()), pieceBytes)}
}

// Returns io.EOF with the last line, which is empty where the file ends with a line feed.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.from.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	l.long = l.long[:0]
	for err == bufio.ErrBufferFull {
		l.long = append(l.long, line...)
		line, err = l.from.ReadSlice('\n')
	}
	l.long = append(l.long, line...)
	return l.long, err
}

func (f *file) all() ([]byte, error) {
	content := make([]byte, f.content.Size())
	_, err := io.ReadFull(io.NewSectionReader(f.content, 0, f.content.Size()), content)
	return content, err
}

type bundle struct {
	report
	files map[string]*file
	key   note.Verifier
	keys  logKeys
	// The sizes at which another key takes over, as folders name them; and how many records do.
	rotated   []int64
	exchanges int
	// These have what the notes say, where they can be read.
	checkpoint *checkpoint
	goal       *goalNote
	// It is about one goal, whether or not its note can be read.
	isOfGoal bool
	// The bytes of the file `checkpoint`, for proofs.
	signed []byte
	// The proof that was read last: many lines may have one index.
	proofFile *file
	proof     proof
	isProof   bool
	// Where several lines have one digest, the first is meant.
	lines map[digest]placed
	tree  tree
	// Nil where no signers are known. `contents`: the digest of each artefact that is named.
	signing  *signing
	contents map[string]string
	personal []personalEvent
	// Claim and agent → what people were asked last.
	asked map[string]*asked
	// The contents of the files with receipts.
	receipts [][]byte
	erasures
	// Goal → the events that attestations may be about. Nil where there are none.
	steps   map[string][]step
	outside outsideTrust
	// The largest index of an entry; -1 without one.
	last int64
}

// `line`: of the entry, from 1. `isFound`: it has a record.
type placed struct {
	line    uint32
	isFound bool
}

// The error is one of reading the archive, which is then neither shown nor refuted.
func verify(archive io.ReaderAt, length int64, key note.Verifier, signing *signing, receipts [][]byte, outside outsideTrust) (report, error) {
	b := &bundle{key: key, receipts: receipts, outside: outside, last: -1, lines: map[digest]placed{}, signing: signing, contents: map[string]string{}, asked: map[string]*asked{}, erasures: newErasures()}
	var err error
	if b.files, err = readArchive(archive, length); err != nil {
		if !isOfForm(err) {
			return report{}, err
		}
		b.add(unreadable, "", 0, err.Error())
		return b.report, nil
	}
	if err := b.chooseKey(); err != nil {
		return report{}, err
	}
	b.checkFiles()
	for _, check := range [...]func() error{
		b.readKeys, b.readCheckpoint, b.checkConsistency, b.readGoal, b.checkEntries, b.checkRecords, b.nameWithoutRecord, b.checkErased, b.checkOutside, b.checkActs, b.checkQuorums, b.checkAttestations, b.checkReceipts,
	} {
		if err := check(); err != nil {
			return report{}, err
		}
	}
	b.checkUnnamed()
	b.sort()
	return b.report, nil
}

// Without a key, it is that of the policy which the bundle names.
func (b *bundle) chooseKey() error {
	if b.key == nil {
		var name []byte
		if file := b.files["checkpoint"]; file != nil {
			content, err := file.all()
			if err != nil {
				return err
			}
			name, _, _ = bytes.Cut(content, []byte{'\n'})
		}
		b.key = b.outside.policy.logOf(string(name))
	}
	b.keyName = b.key.Name()
	return nil
}

func (b *bundle) checkFiles() {
	_, b.isOfGoal = b.files["goal"]
	for _, name := range [...]string{"checkpoint", "entries", "records.jsonl"} {
		if b.files[name] == nil {
			b.add(missing, name, 0, "it is not there")
		}
	}
	for name := range b.files {
		if _, isAttested := attestedID(name); isAttested && b.steps == nil {
			b.steps = map[string][]step{}
		}
		if strings.HasPrefix(name, "proofs/") && !b.isOfGoal {
			b.add(missing, "goal", 0, "it is not there, and proofs of one goal are")
			b.isOfGoal = true
		}
	}
	for _, name := range [...]string{"README", "checkpoint", "goal", "entries", "records.jsonl", "keys", attestationKeyName} {
		if file := b.files[name]; file != nil {
			file.isNamed = true
		}
	}
}

func (b *bundle) readCheckpoint() error {
	text, isThere, err := b.readNote("checkpoint")
	if !isThere {
		return err
	}
	read, isCheckpoint := parseCheckpoint(text)
	if !isCheckpoint {
		b.add(malformed, "checkpoint", 0, "it is not an origin, a size and a root, each in a line")
		return nil
	}
	b.checkpoint = &read
	text = string(read.size)
	b.size = &text
	if read.origin != b.key.Name() {
		b.add(origin, "checkpoint", 0, "its origin is not the name of the key")
	}
	return nil
}

func (b *bundle) readGoal() error {
	text, isThere, err := b.readNote("goal")
	if !isThere {
		return err
	}
	read, isGoal := parseGoal(text)
	if !isGoal {
		b.add(malformed, "goal", 0, "it is not the line about a goal")
		return nil
	}
	b.goal = &read
	b.report.goal = &read.goal
	b.report.after = read.after
	if b.checkpoint != nil && !bytes.Equal(read.size, b.checkpoint.size) {
		b.add(size, "goal", 0, "it is about another size of the log than the checkpoint")
	}
	return nil
}

// What the key has not signed is not looked at.
func (b *bundle) readNote(name string) (text string, isSigned bool, err error) {
	file := b.files[name]
	if file == nil {
		return "", false, nil
	}
	if file.content.Size() <= maxNoteBytes {
		content, err := file.all()
		if err != nil {
			return "", false, err
		}
		if name == "checkpoint" {
			b.signed = content
		}
		text, isSigned = openNote(content, b.keys.last())
	}
	if !isSigned {
		b.add(signature, name, 0, "it is no signed note, or the key has not signed it")
	}
	return text, isSigned, nil
}

func (b *bundle) checkEntries() error {
	numbers := map[string]string{}
	// The index of the line before.
	var before []byte
	lines := 0
	var failed error
	err := b.eachLine("entries", func(at int, line []byte) {
		lines = at
		read, isEntry := parseEntry(line)
		if !isEntry {
			b.add(malformed, "entries", at, "it is not an index and an entry")
			return
		}
		b.checkEntry(at, read, before, numbers)
		before = append(before[:0], read.index...)
		if index, _ := strconv.ParseInt(string(read.index), 10, 64); index > b.last {
			b.last = index
		}
		b.tree.add(read.data)
		if digest := digestOf(read.digest); b.lines[digest].line == 0 {
			b.lines[digest] = placed{line: uint32(at)}
		}
		if b.isOfGoal && failed == nil {
			failed = b.checkProof(read)
		}
	})
	b.report.entries = int(b.tree.size)
	b.checkCount(lines)
	b.checkRoot()
	return errors.Join(err, failed)
}

// Nothing happens where the file is missing.
func (b *bundle) eachLine(name string, each func(at int, line []byte)) error {
	if file := b.files[name]; file != nil {
		return file.eachLine(each)
	}
	return nil
}

// `before`: the index of the last line before that could be read. `numbers`: the last one of each
// goal.
func (b *bundle) checkEntry(at int, read entry, before []byte, numbers map[string]string) {
	if len(before) > 0 && !isBelow(before, read.index) {
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
}

// The number was read, so that it is below 2^53; without one it is 1.
func next(number string) string {
	read, _ := strconv.Atoi(number)
	return strconv.Itoa(read + 1)
}

func proofName(index []byte) string { return "proofs/" + string(index) + ".tlog-proof" }

func (b *bundle) checkProof(read entry) error {
	name := proofName(read.index)
	file := b.files[name]
	if file == nil {
		b.add(proofCode, name, 0, "it is not there")
		return nil
	}
	file.isNamed = true
	if b.proofFile != file {
		content, err := file.all()
		if err != nil {
			return err
		}
		b.proofFile = file
		b.proof, b.isProof = parseProof(content)
	}
	switch {
	case !b.isProof:
		b.add(malformed, name, 0, "it is no proof of the format tlog-proof, version 1, without extra data")
	case !bytes.Equal(b.proof.index, read.index):
		b.add(proofCode, name, 0, "it is about another index")
	case b.checkpoint == nil:
	case !bytes.Equal(b.proof.checkpoint, b.signed):
		b.add(proofCode, name, 0, "its checkpoint is another one than that of the bundle")
	case !b.proof.leadsTo(*b.checkpoint, read.data):
		b.add(proofCode, name, 0, "it does not lead from the entry to the root")
	}
	return nil
}

func (b *bundle) checkCount(lines int) {
	switch {
	case b.goal != nil && b.goal.events != strconv.Itoa(lines):
		b.add(count, "goal", 0, "it says "+b.goal.events+" events, and there are "+strconv.Itoa(lines)+" entries")
	case !b.isOfGoal && b.checkpoint != nil && string(b.checkpoint.size) != strconv.Itoa(lines):
		b.add(count, "entries", 0, "there are "+strconv.Itoa(lines)+", and the log has "+string(b.checkpoint.size))
	}
}

// Records come in the order of their entries, so that a second reader of `entries` goes forward
// beside them.
func (b *bundle) checkRecords() error {
	var beside *cursor
	if file := b.files["entries"]; file != nil {
		beside = &cursor{lines: newLines(file)}
	}
	before := uint32(0)
	var failed error
	err := b.eachLine("records.jsonl", func(at int, line []byte) {
		read, isRecord := parseRecord(line)
		if !isRecord {
			b.add(malformed, "records.jsonl", at, "it is not the record of an event")
			return
		}
		said := readEvent(read.event)
		which := b.lines[read.digest]
		var wrong string
		switch {
		case which.line == 0:
			wrong = "no entry has its digest"
		case which.line <= before:
			wrong = "it is not in the order of the entries, or is there twice"
		case failed == nil:
			var entryLine []byte
			if entryLine, failed = beside.to(which.line); failed == nil {
				wrong = differences(read, said.goal, entryLine)
			}
		}
		if wrong != "" {
			b.add(recordCode, "records.jsonl", at, wrong)
		}
		if which.line > 0 && !which.isFound {
			b.lines[read.digest] = placed{which.line, true}
		}
		before = max(before, which.line)
		if string(read.place) == "-" && string(read.kind) == "notary_key" {
			b.exchanges++
		}
		b.noteFormer(read)
		b.checkNamed(read, said)
		b.noteErasure(at, read, said)
		b.noteAct(read, said)
		b.noteQuorum(at, read, said)
		b.noteStep(read, said)
	})
	if !b.isOfGoal && b.exchanges != len(b.rotated) {
		b.add(keyCode, "rotations", 0, "there are not as many as records that name another key")
	}
	return errors.Join(err, failed)
}

// A bundle of a goal has it in its note.
func (b *bundle) noteFormer(read record) {
	if b.isOfGoal || b.report.after != nil || string(read.place) != "-" || string(read.kind) != "notary_began" {
		return
	}
	began, _ := membersOf(read.event, "after")
	said, _ := membersOf(began["after"], "origin", "size")
	origin, isOrigin := textOf(said["origin"])
	if size, isSize := textOf(said["size"]); isOrigin && isSize {
		b.report.after = newFormerLog(origin, size)
	}
}

// It goes forward through the lines of a file.
type cursor struct {
	lines *lineReader
	at    uint32
}

// `line`: from 1, beyond those that were asked for before. The line is there.
func (c *cursor) to(line uint32) ([]byte, error) {
	for {
		read, err := c.lines.next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if c.at++; c.at == line || err == io.EOF {
			return read, nil
		}
	}
}

func (b *bundle) nameWithoutRecord() error {
	isWhole := true
	for _, one := range b.lines {
		isWhole = isWhole && one.isFound
	}
	if isWhole {
		return nil
	}
	return b.eachLine("entries", func(at int, line []byte) {
		if read, isEntry := parseEntry(line); isEntry && !b.lines[digestOf(read.digest)].isFound {
			b.add(noRecord, "entries", at, "there is no record for it")
		}
	})
}

// `line`: of the entry with the digest of the record.
func differences(read record, goal string, line []byte) string {
	about, _ := parseEntry(line)
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
func (b *bundle) checkContent(code code, name, sha256 string) {
	file := b.files[name]
	if file == nil && code == artefact {
		b.absent = append(b.absent, content{name, digestOf([]byte(sha256))})
		return
	}
	if file == nil {
		b.add(code, name, 0, "an event names it, and it is not there")
		return
	}
	file.isNamed = true
	if file.sha256 != digestOf([]byte(sha256)) {
		b.add(code, name, 0, "its SHA-256 is not the one that the event names")
	}
}

// Only where as many entries are well formed as the log has.
func (b *bundle) checkRoot() {
	if b.isOfGoal || b.checkpoint == nil || string(b.checkpoint.size) != strconv.Itoa(b.report.entries) {
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
