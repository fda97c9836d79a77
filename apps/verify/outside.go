package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"
)

// Whom the caller trusts outside of the instance. `roots`: nil where no authority is trusted.
// `policy`: nil where no witness is.
type outsideTrust struct {
	roots             *authorities
	policy            *policy
	isTSA, areWitness bool
}

type seen struct {
	At time.Time `json:"at"`
	By string    `json:"by"`
}

// The first `Size` entries were there at each of these times. `Sealed`: the index of the entry that
// says so; what comes behind it was sealed later.
type anchor struct {
	Size        int64  `json:"size"`
	Sealed      *int64 `json:"sealed"`
	Stamp       *seen  `json:"stamp"`
	Seen        []seen `json:"seen"`
	IsWitnessed bool   `json:"isWitnessed"`
}

var anchorNames = [...]string{"checkpoint", "consistency", "tsr", "cosigned", "sealed", "record"}

// A folder below `anchors`. `files`: those that are there. `text`: of the checkpoint.
type anchorFolder struct {
	size  int64
	files map[string][]byte
	text  string
}

func (b *bundle) checkOutside() error {
	if b.checkpoint == nil {
		return nil
	}
	for _, size := range sizesBelow(b.files, inAnchors) {
		folder, err := b.readAnchor(size)
		if err != nil {
			return err
		}
		if folder == nil {
			continue
		}
		found := anchor{Size: size, Sealed: b.checkSealed(folder), Stamp: b.checkStamp(folder)}
		found.Seen, found.IsWitnessed = b.checkSeen(folder)
		b.anchors = append(b.anchors, found)
	}
	covers := func(one anchor) bool { return !b.isOfGoal || one.Size > b.last }
	isStamped := slices.ContainsFunc(b.anchors, func(one anchor) bool { return one.Stamp != nil && covers(one) })
	isWitnessed := slices.ContainsFunc(b.anchors, func(one anchor) bool { return one.IsWitnessed && covers(one) })
	if b.outside.isTSA && !isStamped {
		b.add(tsaCode, "anchors", 0, "no time stamp is about all of it")
	}
	if b.outside.areWitness && !isWitnessed {
		b.add(witnessCode, "anchors", 0, "not enough witnesses have seen all of it")
	}
	return nil
}

var inAnchors = regexp.MustCompile(`^anchors/([^/]+)/`)

// The numbers of the folders, rising.
func sizesBelow(files map[string]*file, folder *regexp.Regexp) []int64 {
	var sizes []int64
	for name := range files {
		if found := folder.FindStringSubmatch(name); found != nil && isCount([]byte(found[1])) {
			size, _ := strconv.ParseInt(found[1], 10, 64)
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// The contents of those that are there, and are not too large.
func (b *bundle) smallFiles(path func(name string) string, names ...string) (map[string][]byte, error) {
	contents := map[string][]byte{}
	for _, name := range names {
		file := b.files[path(name)]
		if file == nil {
			continue
		}
		file.isNamed = true
		if file.content.Size() > maxNoteBytes {
			continue
		}
		content, err := file.all()
		if err != nil {
			return nil, err
		}
		contents[name] = content
	}
	return contents, nil
}

func anchorName(size int64, name string) string {
	return "anchors/" + strconv.FormatInt(size, 10) + "/" + name
}

// Nil where its checkpoint is not of this log, which is then a problem.
func (b *bundle) readAnchor(size int64) (*anchorFolder, error) {
	files, err := b.smallFiles(func(name string) string { return anchorName(size, name) }, anchorNames[:]...)
	if err != nil {
		return nil, err
	}
	folder := &anchorFolder{size: size, files: files}
	var isSigned bool
	folder.text, isSigned = openNote(folder.files["checkpoint"], b.keys.of(size))
	signed, isCheckpoint := parseCheckpoint(folder.text)
	own, _ := strconv.ParseInt(string(b.checkpoint.size), 10, 64)
	isOfLog := isSigned && isCheckpoint && signed.origin == b.key.Name() && string(signed.size) == strconv.FormatInt(size, 10) && size <= own
	if !isOfLog {
		b.add(anchorCode, anchorName(size, "checkpoint"), 0, "it is no checkpoint of this log and size that the key has signed")
		return nil, nil
	}
	consistency, isThere := folder.files["consistency"]
	hashes, areHashes := parseHashes(consistency)
	if !isThere || !areHashes || !isBeginning(hashes, size, signed.root, own, b.checkpoint.root) {
		b.add(anchorCode, anchorName(size, "consistency"), 0, "it does not show that this log is the beginning of that of the bundle")
		return nil, nil
	}
	return folder, nil
}

func isBeginning(hashes tlog.TreeProof, size int64, root tlog.Hash, own int64, ownRoot tlog.Hash) bool {
	return size >= 1 && tlog.CheckTree(hashes, own, ownRoot, size, root) == nil
}

// Each in a line of its own.
func parseHashes(content []byte) (tlog.TreeProof, bool) {
	hashes := tlog.TreeProof{}
	for len(content) > 0 {
		line, rest, isWhole := bytes.Cut(content, []byte{'\n'})
		hash, isHash := parseHash(line)
		if !isWhole || !isHash {
			return nil, false
		}
		hashes = append(hashes, hash)
		content = rest
	}
	return hashes, true
}

// The index of the entry by which the notary has sealed what came from outside.
func (b *bundle) checkSealed(folder *anchorFolder) *int64 {
	content, isSealed := folder.files["sealed"]
	line, isRecord := folder.files["record"]
	if !isSealed && !isRecord {
		return nil
	}
	found, isReceipt := parseReceipt(content)
	// A record ends with a line feed where it is in a file of several.
	own, isRecord := parseRecord(append(bytes.Clone(line), '\n'))
	said, _ := membersOf(own.event, "size", "tsr", "cosigned")
	size, err := strconv.ParseFloat(string(said["size"]), 64)
	index, _ := strconv.ParseInt(string(found.proof.index), 10, 64)
	if !isReceipt || !isRecord || !bytes.Equal(found.proof.checkpoint, b.signed) ||
		!isBelow(found.proof.index, b.checkpoint.size) || !found.proof.leadsTo(*b.checkpoint, found.data) ||
		string(own.place) != "-" || string(own.kind) != "notary_anchored" ||
		digestOf(found.entry.digest) != own.digest ||
		err != nil || size != float64(folder.size) || index < folder.size {
		b.add(anchorCode, anchorName(folder.size, "sealed"), 0, "it does not show that the notary has sealed this")
		return nil
	}
	for _, name := range [...]string{"tsr", "cosigned"} {
		content, isThere := folder.files[name]
		value, isNamed := said[name]
		sealed, _ := textOf(value)
		sum := sha256.Sum256(content)
		if isThere != isNamed || isThere && sealed != hex.EncodeToString(sum[:]) {
			b.add(anchorCode, anchorName(folder.size, name), 0, "it is not the one that the notary has sealed")
		}
	}
	return &index
}

func (b *bundle) checkStamp(folder *anchorFolder) *seen {
	reply, isThere := folder.files["tsr"]
	if !isThere || b.outside.roots == nil {
		return nil
	}
	stamp, err := readStamp(reply, folder.files["checkpoint"])
	if err == nil {
		err = b.outside.roots.trust(stamp)
	}
	if err != nil {
		b.add(tsaCode, anchorName(folder.size, "tsr"), 0, err.Error())
		return nil
	}
	return &seen{stamp.at, nameOfSigner(stamp.signer)}
}

func (b *bundle) checkSeen(folder *anchorFolder) (found []seen, isWitnessed bool) {
	content, isThere := folder.files["cosigned"]
	if !isThere || b.outside.policy == nil {
		return nil, false
	}
	report := func(text string) { b.add(witnessCode, anchorName(folder.size, "cosigned"), 0, text) }
	text, isSigned := openNote(content, b.keys.of(folder.size))
	if !isSigned || text != folder.text || !utf8.Valid(content) {
		report("it is not the checkpoint with signatures of others")
		return nil, false
	}
	names := map[string]bool{}
	for _, witness := range b.outside.policy.witnesses {
		at, isRight := witness.seenAt(text, content[len(text)+1:])
		if !isRight {
			report("a signature of a witness is not right")
		} else if at != nil {
			found = append(found, seen{*at, witness.name})
			names[witness.name] = true
		}
	}
	return found, len(names) > 0 && b.outside.policy.isEnough(names)
}
