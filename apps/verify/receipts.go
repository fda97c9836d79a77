package main

import (
	"bytes"
	"encoding/base64"
)

// A proof with its entry in the line `extra`. `data`: the entry, with its line feed.
type receipt struct {
	proof proof
	entry entry
	data  []byte
}

func parseReceipt(content []byte) (receipt, bool) {
	head, rest, isWhole := bytes.Cut(content, []byte("\nextra "))
	extra, after, hasMore := bytes.Cut(rest, []byte{'\n'})
	if !isWhole || !hasMore || bytes.IndexByte(head, '\n') >= 0 {
		return receipt{}, false
	}
	data, err := base64.StdEncoding.DecodeString(string(extra))
	// The library passes over the ends of lines, and over the last bits.
	if err != nil || base64.StdEncoding.EncodeToString(data) != string(extra) {
		return receipt{}, false
	}
	proof, isProof := parseProof(append(append(bytes.Clone(head), '\n'), after...))
	if !isProof {
		return receipt{}, false
	}
	line := append(append(bytes.Clone(proof.index), ' '), data...)
	entry, isEntry := parseEntry(line)
	return receipt{proof, entry, data}, isEntry
}

// Says what is wrong with the receipt itself; empty where nothing is.
func (r receipt) fault(keys logKeys) string {
	signed, _, isSigned := keys.openCheckpoint(r.proof.checkpoint)
	if !isSigned || signed.origin != keys.first.Name() {
		return "the key has not signed its checkpoint"
	}
	if !isBelow(r.proof.index, signed.size) || !r.proof.leadsTo(signed, r.data) {
		return "it does not lead from its entry to the root"
	}
	return ""
}

// A problem is about the receipt that has its number, from 1.
func (b *bundle) checkReceipts() error {
	wanted := map[string][]int{}
	read := make([]receipt, len(b.receipts))
	for at, content := range b.receipts {
		fault := "it is no receipt"
		var isReceipt bool
		if read[at], isReceipt = parseReceipt(content); isReceipt {
			fault = read[at].fault(b.keys)
		}
		switch {
		case fault != "":
		case b.goal != nil && string(read[at].entry.goal) != b.goal.goal:
			fault = "it is about another goal"
		case b.checkpoint != nil && !isBelow(read[at].proof.index, b.checkpoint.size):
			fault = "it is of a later log than the bundle"
		case b.checkpoint != nil:
			index := string(read[at].proof.index)
			wanted[index] = append(wanted[index], at)
		}
		if fault != "" {
			b.add(receiptCode, "receipt", at+1, fault)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	const leftOut = "the bundle has not the entry that it is about at its index"
	err := b.eachLine("entries", func(_ int, line []byte) {
		found, isEntry := parseEntry(line)
		if !isEntry {
			return
		}
		for _, at := range wanted[string(found.index)] {
			if !bytes.Equal(found.data, read[at].data) {
				b.add(receiptCode, "receipt", at+1, leftOut)
			}
		}
		delete(wanted, string(found.index))
	})
	for _, numbers := range wanted {
		for _, at := range numbers {
			b.add(receiptCode, "receipt", at+1, leftOut)
		}
	}
	return err
}
