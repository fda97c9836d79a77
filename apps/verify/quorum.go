package main

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// The last request to people for an agent in a claim. `short`: the line of the end that came before
// there were enough; 0 if none did.
type asked struct {
	needed    int
	notBy, by map[string]bool
	short     int
}

const maxNeeded = 99

func (b *bundle) noteQuorum(at int, read record, said event) {
	kind := string(read.kind)
	agent, isAgent := said.agent, said.isAgent
	if kind == "artefact_created" {
		agent, isAgent = said.madeBy, said.isMadeBy
	}
	if said.claim == "" || !isAgent {
		return
	}
	key := said.claim + " " + agent
	if kind == "grant_waiting" && strings.HasPrefix(said.actor, "orchestrator:") {
		if said.approvals > 0 {
			notBy := map[string]bool{}
			for _, name := range strings.Split(said.notBy, " ") {
				notBy[name] = true
			}
			b.asked[key] = &asked{needed: said.approvals, notBy: notBy, by: map[string]bool{}}
		}
		return
	}
	before := b.asked[key]
	if before == nil {
		return
	}
	if name, isPerson := strings.CutPrefix(said.actor, "person:"); isPerson && kind == "artefact_created" {
		if principal := principalOf(name); !before.notBy[principal] {
			before.by[principal] = true
		}
	}
	if kind == "grant_done" && !said.rejects && len(before.by) < before.needed && before.short == 0 {
		before.short = at
	}
}

func (b *bundle) checkQuorums() error {
	for _, one := range b.asked {
		if one.short > 0 {
			b.add(approvalsCode, "records.jsonl", one.short, strconv.Itoa(one.needed)+" different people have to approve it, and "+strconv.Itoa(len(one.by))+" have")
		}
	}
	return nil
}

// The address at the end of a name, else the name; A to Z as small letters.
func principalOf(name string) string {
	if found := addressForm.FindStringSubmatch(name); found != nil {
		name = found[1]
	}
	return strings.Map(func(letter rune) rune {
		if letter >= 'A' && letter <= 'Z' {
			return letter + 'a' - 'A'
		}
		return letter
	}, name)
}

// A whole number from 1 on; 0 where the value is none.
func neededOf(value []byte) int {
	if len(value) == 0 || bytes.IndexByte([]byte("-0123456789"), value[0]) < 0 {
		return 0
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != math.Trunc(number) || number < 1 || number > maxNeeded {
		return 0
	}
	return int(number)
}
