package main

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// Another signer of the same log.
func (m *maker) nextKey(seed byte) *maker {
	next := makerWithKey(m.t, "other", seed)
	text := verifierKey(m.t, m.key.Name(), next)
	key, err := note.NewVerifier(text)
	must(m.t, err)
	next.key = logKey{key, text}
	next.signer = signer{key, next.signer.(signer).private}
	return next
}

func (m *maker) signedByBoth(text string, next *maker) string {
	signed, err := note.Sign(&note.Note{Text: text}, m.signer, next.signer)
	must(m.t, err)
	return string(signed)
}

// A log in which another key takes over: its bundle has the checkpoint of the next key.
func rotated(t *testing.T, goal string) (old logKey, next *maker, made files) {
	m := newMaker(t).fill()
	text := verifierKey(t, m.key.Name(), m)
	old = logKey{m.key, text}
	next = m.nextKey(9)
	m.event("-", "notary_key", fmt.Sprintf(`{"from":"%s","to":"%s"}`, text, next.key.(logKey).text))
	size := len(m.entries)
	proof := m.proof(size - 1)
	head, _, _ := strings.Cut(proof, "\n\n")
	both := m.signedByBoth(fmt.Sprintf("%s\n%d\n%s\n", m.key.Name(), size, m.root()), next)
	handover := withEntry(head+"\n\n"+both, m.entries[size-1])
	m.signer = next.signer
	made = m.bundle(goal)
	folder := fmt.Sprintf("rotations/%d/", size)
	made[folder+"record"] = m.records[size-1]
	made[folder+"handover"] = handover
	// Nothing was sealed since.
	made[folder+"consistency"] = ""
	return old, next, made
}

func TestAKeyLeadsToTheNextOne(t *testing.T) {
	for _, goal := range []string{"", goalA} {
		old, next, made := rotated(t, goal)
		for _, key := range []note.Verifier{old, next.key} {
			found := verified(pack(t, made), key)
			if named := problemsOf(found); len(named) > 0 {
				t.Errorf("of %q: %q", goal, named)
			}
		}
	}
	old, next, made := rotated(t, "")
	const folder = "rotations/11/"
	for name, change := range map[string]func(){
		"a key without its signature": func() {
			end := strings.LastIndex(made[folder+"handover"], "— ")
			made[folder+"handover"] = made[folder+"handover"][:end]
		},
		"another record": func() { made[folder+"record"] += " " },
		"no folder": func() {
			for _, file := range []string{"record", "handover", "consistency"} {
				delete(made, folder+file)
			}
		},
	} {
		whole := files{}
		for file, content := range made {
			whole[file] = content
		}
		change()
		if named := problemsOf(verified(pack(t, made), old)); len(named) == 0 || !strings.Contains(strings.Join(named, " "), "key rotations") {
			t.Errorf("%s: %q", name, named)
		}
		made = whole
	}
	if named := problemsOf(verified(pack(t, made), next.key)); len(named) > 0 {
		t.Errorf("in the end: %q", named)
	}
}
