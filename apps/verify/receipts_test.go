package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func (m *maker) receipt(index int) string {
	return withEntry(m.proof(index), m.entries[index])
}

func withEntry(proof, entry string) string {
	extra := base64.StdEncoding.EncodeToString([]byte(entry))
	return strings.Replace(proof, "\n", "\nextra "+extra+"\n", 1)
}

func expectReceipts(t *testing.T, m *maker, made files, receipts []string, expected ...string) {
	t.Helper()
	var contents [][]byte
	for _, text := range receipts {
		contents = append(contents, []byte(text))
	}
	archive := pack(t, made)
	found, err := verify(bytes.NewReader(archive), int64(len(archive)), m.key, nil, contents, outsideTrust{})
	must(t, err)
	named := []string{}
	for _, problem := range found.problems {
		if problem.code == receiptCode {
			named = append(named, fmt.Sprint(problem.place(), " ", problem.text))
		}
	}
	if !slices.Equal(named, expected) {
		t.Errorf("found %q\nnot %q", named, expected)
	}
}

func TestReceipts(t *testing.T) {
	m := newMaker(t).fill()
	own := []string{m.receipt(1), m.receipt(3), m.receipt(4), m.receipt(6)}
	expectReceipts(t, m, m.bundle(goalA), own)
	expectReceipts(t, m, m.bundle(""), own)

	made := m.bundle("")
	made.cut("entries", 4)
	const leftOut = "the bundle has not the entry that it is about at its index"
	expectReceipts(t, m, made, []string{m.receipt(3)}, "receipt:1 "+leftOut)
	made = m.bundle("")
	made.edit("entries", 4, goalA, goalB)
	expectReceipts(t, m, made, []string{m.receipt(4), m.receipt(3)}, "receipt:2 "+leftOut)

	short := newMaker(t)
	short.event("-", "notary_began", "{}")
	lines := strings.SplitAfter(m.receipt(3), "\n")
	wrong := []string{
		"", m.proof(3), strings.Replace(m.receipt(3), "extra ", "extra A", 1),
		strings.Replace(m.receipt(3), "\nindex", "\r\nindex", 1),
		withEntry(m.proof(3), m.entries[4]),
		strings.Join(slices.Delete(slices.Clone(lines), 3, 4), ""),
		makerWithKey(t, "other", 2).fill().receipt(3),
		m.receipt(0),
	}
	expectReceipts(t, m, m.bundle(goalA), wrong,
		"receipt:1 it is no receipt", "receipt:2 it is no receipt", "receipt:3 it is no receipt",
		"receipt:4 it is no receipt",
		"receipt:5 it does not lead from its entry to the root",
		"receipt:6 it does not lead from its entry to the root",
		"receipt:7 the key has not signed its checkpoint",
		"receipt:8 it is about another goal")
	expectReceipts(t, m, short.bundle(""), []string{m.receipt(3)}, "receipt:1 it is of a later log than the bundle")
}
