package main

import "strings"

// A file, and the digest that an event names.
type content struct {
	name   string
	sha256 digest
}

// It has what people have erased on record.
type erasures struct {
	// The digest that the last event about the creation of an artefact names; empty where it names
	// none.
	made map[string]string
	gone map[content]bool
	// Artefacts that events name, and that are not there.
	absent []content
	// It is empty where no signers are known.
	acts []erasureAct
}

// An event by which a person has erased something. `line`: of its record. `at`: milliseconds.
type erasureAct struct {
	line int
	said event
	at   int64
}

func newErasures() erasures {
	return erasures{made: map[string]string{}, gone: map[content]bool{}}
}

func artefactName(id string) string { return "artefacts/" + id + ".json" }

func (b *bundle) noteErasure(line int, read record, said event) {
	switch string(read.kind) {
	case "artefact_created":
		if said.artefactID != "" {
			b.made[said.artefactID] = said.artefactDigest
		}
	case "artefact_erased":
		isOfPerson := strings.HasPrefix(said.actor, "person:")
		if isOfPerson && b.signing != nil {
			b.erasures.acts = append(b.erasures.acts, erasureAct{line, said, timeOf(read.place)})
		}
		made, isMade := b.made[said.artefactID]
		if !isOfPerson || said.reason == "" || !isMade || made != said.artefactDigest {
			b.add(erasedCode, "records.jsonl", line, "it is not the erasure, by a person and with a reason, of what an event before it names")
			return
		}
		if made != "" {
			b.gone[content{artefactName(said.artefactID), digestOf([]byte(made))}] = true
		}
	}
}

// It is known only at the end whether what is not there was erased.
func (b *bundle) checkErased() error {
	for _, one := range b.absent {
		if !b.gone[one] {
			b.add(artefact, one.name, 0, "an event names it, and it is not there")
		}
	}
	names := map[string]bool{}
	for one := range b.gone {
		names[one.name] = true
		if b.files[one.name] != nil {
			b.add(erasedCode, one.name, 0, "it was erased on record, and it is there")
		}
	}
	b.erased = len(names)
	return nil
}
