package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestWholeBundlesAreShown(t *testing.T) {
	for size := range 20 {
		m := newMaker(t)
		m.event("-", "notary_began", "{}")
		for at := range size {
			m.event(place(at), "goal_posted", `{"goal_id":"`+[]string{goalA, goalB}[at%2]+`"}`)
		}
		bundles := []files{m.bundle("")}
		for _, goal := range []string{goalA, goalB} {
			if m.goals[goal] > 0 {
				bundles = append(bundles, m.bundle(goal))
			}
		}
		for _, made := range bundles {
			expectProblems(t, m, made)
		}
	}
	m := newMaker(t).fill()
	for _, goal := range []string{"", goalA, goalB} {
		expectProblems(t, m, m.bundle(goal))
	}
}

func expectProblems(t *testing.T, m *maker, made files, expected ...string) {
	t.Helper()
	found := verified(pack(t, made), m.key)
	if named := problemsOf(found); !slices.Equal(named, expected) {
		t.Errorf("found %q\nnot %q", named, expected)
	}
	for _, problem := range found.problems {
		if problem.text == "" {
			t.Errorf("%s says nothing", problem.place())
		}
	}
}

// The lines of a file, to be changed: `line` counts from 1.
func (made files) edit(name string, line int, from, to string) {
	lines := strings.SplitAfter(made[name], "\n")
	if !strings.Contains(lines[line-1], from) {
		panic(fmt.Sprintf("%s:%d has no %q: %s", name, line, from, lines[line-1]))
	}
	lines[line-1] = strings.Replace(lines[line-1], from, to, 1)
	made[name] = strings.Join(lines, "")
}

func (made files) cut(name string, line int) {
	lines := strings.SplitAfter(made[name], "\n")
	made[name] = strings.Join(slices.Delete(lines, line-1, line), "")
}

func (made files) swap(name string, one, other int) {
	lines := strings.SplitAfter(made[name], "\n")
	lines[one-1], lines[other-1] = lines[other-1], lines[one-1]
	made[name] = strings.Join(lines, "")
}

// Of the goal A the entries are 1, 3, 4 and 6, of the log 0 to 9.
const (
	artefactA = "artefacts/00000000-3333-4333-8333-333333333333.json"
	artefactB = "artefacts/00000001-3333-4333-8333-333333333333.json"
)

var factA = "facts/" + hexOf("rule 0")

type damage struct {
	name     string
	change   func(m *maker, made files)
	expected []string
}

func remove(name string) func(*maker, files) {
	return func(_ *maker, made files) { delete(made, name) }
}

func edit(name string, line int, from, to string) func(*maker, files) {
	return func(_ *maker, made files) { made.edit(name, line, from, to) }
}

func signed(name, text string) func(*maker, files) {
	return func(m *maker, made files) {
		made[name] = m.sign(strings.ReplaceAll(text, "ORIGIN", m.key.Name()))
	}
}

func goalDamages() []damage {
	note := func(words string) string { return "sett/1 goal " + goalA + " " + words + "\n" }
	return []damage{
		{"nothing", func(*maker, files) {}, nil},
		{"another README", func(_ *maker, made files) { made["README"] = "x"; made["keys"] = "y" }, nil},
		{"no README", func(_ *maker, made files) { delete(made, "README"); delete(made, "keys") }, nil},
		{"no checkpoint", remove("checkpoint"), []string{"missing checkpoint"}},
		{"no goal", remove("goal"), []string{"missing goal"}},
		{"another file", func(_ *maker, made files) { made["notes.txt"] = "" }, []string{"unknown-file notes.txt"}},
		{"a file in a folder", func(_ *maker, made files) { made["./goal"] = ""; made["proofs/01.tlog-proof"] = "" },
			[]string{"unknown-file ./goal", "unknown-file proofs/01.tlog-proof"}},
		{"a proof of no entry", func(m *maker, made files) { made["proofs/2.tlog-proof"] = m.proof(2) }, []string{"unknown-file proofs/2.tlog-proof"}},
		{"a fact that no event names", func(_ *maker, made files) { made["facts/"+hexOf("")] = "" },
			[]string{"unknown-file facts/" + hexOf("")}},
		{"a checkpoint that is no note", func(_ *maker, made files) { made["checkpoint"] = "x" }, []string{"signature checkpoint"}},
		{"a goal that is no note", func(_ *maker, made files) { made["goal"] = "" }, []string{"signature goal"}},
		{"a goal that says more", signed("goal", note("events 5 log 10 state open")), []string{"count goal"}},
		{"a goal that says less", signed("goal", note("events 3 log 10 state closed")), []string{"count goal"}},
		{"a goal of another size", signed("goal", note("events 4 log 9 state open")), []string{"size goal"}},
		{"a goal in a state that there is not", signed("goal", note("events 4 log 10 state done")), []string{"malformed goal"}},
		{"a goal with a line more", signed("goal", note("events 4 log 10 state open")+"more\n"), []string{"malformed goal"}},
		{"a goal with a zero before", signed("goal", note("events 04 log 10 state open")), []string{"malformed goal"}},
		{"a goal whose number was changed", edit("goal", 1, "events 4", "events 3"), []string{"signature goal"}},
		{"the state was changed", edit("goal", 1, "open", "closed"), []string{"signature goal"}},
		{"another goal's note", func(m *maker, made files) { made["goal"] = m.bundle(goalB)["goal"] },
			[]string{"other-goal entries:1", "other-goal entries:2", "other-goal entries:3", "other-goal entries:4", "count goal"}},
		{"an index that is not above the one before", func(_ *maker, made files) { made.swap("entries", 2, 3); made.swap("records.jsonl", 2, 3) },
			[]string{"number entries:2", "order entries:3", "number entries:3", "number entries:4"}},
		{"an index that is not below the size", edit("entries", 4, "6 ", "10 "),
			[]string{"index entries:4", "proof proofs/10.tlog-proof", "unknown-file proofs/6.tlog-proof"}},
		{"an index of 2^63", edit("entries", 4, "6 ", "9223372036854775808 "),
			[]string{"malformed entries:4", "unknown-file proofs/6.tlog-proof", "record records.jsonl:4"}},
		{"an index with a zero before", edit("entries", 4, "6 ", "06 "), []string{"malformed entries:4", "unknown-file proofs/6.tlog-proof", "record records.jsonl:4"}},
		{"an index that is there twice", edit("entries", 2, "3 ", "1 "),
			[]string{"order entries:2", "proof proofs/1.tlog-proof", "unknown-file proofs/3.tlog-proof"}},
		{"another goal in an entry", edit("entries", 2, goalA, goalB), []string{"other-goal entries:2", "number entries:2", "number entries:3", "proof proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"another number in an entry", edit("entries", 2, goalA+" 2", goalA+" 3"), []string{"number entries:2", "number entries:3", "proof proofs/3.tlog-proof"}},
		{"another place in an entry", edit("entries", 2, place(2), place(1)), []string{"proof proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"another type in an entry", edit("entries", 2, "artefact_created", "artefact_removed"), []string{"proof proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"another digest in an entry", func(_ *maker, made files) {
			made.edit("entries", 2, strings.Fields(made["entries"])[13], hexOf(""))
		}, []string{"no-record entries:2", "proof proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"a type that is none", edit("entries", 2, "artefact_created", "Artefact"), []string{"malformed entries:2", "number entries:3", "unknown-file proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"a version that is none", edit("entries", 2, "sett/1", "sett/2"), []string{"malformed entries:2", "number entries:3", "unknown-file proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"two spaces", edit("entries", 2, "sett/1 ", "sett/1  "), []string{"malformed entries:2", "number entries:3", "unknown-file proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"a carriage return", edit("entries", 2, "\n", "\r\n"), []string{"malformed entries:2", "number entries:3", "unknown-file proofs/3.tlog-proof", "record records.jsonl:2"}},
		{"an empty line", func(_ *maker, made files) { made["entries"] += "\n" }, []string{"malformed entries:5", "count goal"}},
		{"no line feed at the end", func(_ *maker, made files) { made["entries"] = strings.TrimSuffix(made["entries"], "\n") }, []string{"malformed entries:4", "unknown-file proofs/6.tlog-proof", "record records.jsonl:4"}},
		{"no first entry", func(_ *maker, made files) { made.cut("entries", 1) }, []string{"number entries:1", "count goal", "unknown-file proofs/1.tlog-proof", "record records.jsonl:1"}},
		{"no last entry", func(_ *maker, made files) { made.cut("entries", 4) }, []string{"count goal", "unknown-file proofs/6.tlog-proof", "record records.jsonl:4"}},
		{"no last event at all", func(_ *maker, made files) {
			made.cut("entries", 4)
			made.cut("records.jsonl", 4)
			delete(made, "proofs/6.tlog-proof")
			delete(made, "artefacts/00000005-3333-4333-8333-333333333333.json")
		}, []string{"count goal"}},
		{"no entries", remove("entries"), []string{"missing entries", "count goal",
			"unknown-file proofs/1.tlog-proof", "unknown-file proofs/3.tlog-proof", "unknown-file proofs/4.tlog-proof", "unknown-file proofs/6.tlog-proof",
			"record records.jsonl:1", "record records.jsonl:2", "record records.jsonl:3", "record records.jsonl:4"}},
		{"no last record", func(_ *maker, made files) { made.cut("records.jsonl", 4) },
			[]string{"artefact artefacts/00000005-3333-4333-8333-333333333333.json", "no-record entries:4"}},
		{"a record more", func(_ *maker, made files) {
			made["records.jsonl"] += recordText(strings.Repeat("0", 32), place(3), "x", "y") + "\n"
		}, []string{"record records.jsonl:5"}},
		{"a changed byte of a record", edit("records.jsonl", 1, "ä", "ö"), []string{"no-record entries:1", "record records.jsonl:1"}},
		{"another salt", edit("records.jsonl", 1, `{"salt":"0`, `{"salt":"1`), []string{"no-record entries:1", "record records.jsonl:1"}},
		{"an escape that is not of the form", edit("records.jsonl", 4, "artefact_created", `artefact\u005fcreated`),
			[]string{"artefact artefacts/00000005-3333-4333-8333-333333333333.json", "no-record entries:4", "malformed records.jsonl:4"}},
		{"a space in a record", edit("records.jsonl", 4, `,"place"`, `, "place"`),
			[]string{"artefact artefacts/00000005-3333-4333-8333-333333333333.json", "no-record entries:4", "malformed records.jsonl:4"}},
		{"a record that is no UTF-8", edit("records.jsonl", 4, "ä", "\xff"),
			[]string{"artefact artefacts/00000005-3333-4333-8333-333333333333.json", "no-record entries:4", "malformed records.jsonl:4"}},
		{"a record that is nested deep", func(_ *maker, made files) { made["records.jsonl"] += strings.Repeat("[", 100_000) + "\n" },
			[]string{"malformed records.jsonl:5"}},
		{"no proof", remove("proofs/3.tlog-proof"), []string{"proof proofs/3.tlog-proof"}},
		{"a proof of another index", edit("proofs/3.tlog-proof", 2, "3", "4"), []string{"proof proofs/3.tlog-proof"}},
		{"two proofs for each other", func(_ *maker, made files) {
			made["proofs/3.tlog-proof"], made["proofs/4.tlog-proof"] = made["proofs/4.tlog-proof"], made["proofs/3.tlog-proof"]
		}, []string{"proof proofs/3.tlog-proof", "proof proofs/4.tlog-proof"}},
		{"a proof with another hash", func(m *maker, made files) {
			made.edit("proofs/3.tlog-proof", 3, strings.Split(made["proofs/3.tlog-proof"], "\n")[2], m.root().String())
		},
			[]string{"proof proofs/3.tlog-proof"}},
		{"a proof with a hash less", func(_ *maker, made files) { made.cut("proofs/3.tlog-proof", 3) }, []string{"proof proofs/3.tlog-proof"}},
		{"a proof under another checkpoint", func(m *maker, made files) {
			m.event(place(99), "x", "{}")
			made["proofs/3.tlog-proof"] = m.proof(3)
		}, []string{"proof proofs/3.tlog-proof"}},
		{"a proof with extra data", edit("proofs/3.tlog-proof", 1, "v1\n", "v1\nextra eA==\n"), []string{"malformed proofs/3.tlog-proof"}},
		{"a proof with a hash that is none", edit("proofs/3.tlog-proof", 3, "=\n", "\n"), []string{"malformed proofs/3.tlog-proof"}},
		{"an empty proof", func(_ *maker, made files) { made["proofs/3.tlog-proof"] = "" }, []string{"malformed proofs/3.tlog-proof"}},
		{"no artefact", remove(artefactA), []string{"artefact " + artefactA}},
		{"an artefact that was erased", func(m *maker, made files) {
			m.erase(artefactA)
			maps.Copy(made, m.bundle(goalA))
			delete(made, artefactA)
		}, nil},
		{"one that was erased, and is there", func(m *maker, made files) {
			m.erase(artefactA)
			maps.Copy(made, m.bundle(goalA))
		}, []string{"erased " + artefactA}},
		{"an erasure of another content", func(m *maker, made files) {
			m.contents[artefactA] += "x"
			m.erase(artefactA)
			maps.Copy(made, m.bundle(goalA))
			delete(made, artefactA)
		}, []string{"artefact " + artefactA, "erased records.jsonl:5"}},
		{"another payload", edit(artefactA, 1, "one", "two"), []string{"artefact " + artefactA}},
		{"an artefact that no event names", func(m *maker, made files) { made[artefactB] = m.contents[artefactB] }, []string{"artefact " + artefactB}},
		{"an artefact without an id", func(_ *maker, made files) { made["artefacts/x.json"] = "" }, []string{"unknown-file artefacts/x.json"}},
		{"no fact", remove(factA), []string{"fact " + factA}},
		{"a folder of no exchange", func(_ *maker, made files) { made["rotations/x"], made["rotations/05/record"] = "", "" },
			[]string{"unknown-file rotations/05/record", "unknown-file rotations/x"}},
		{"another fact", func(_ *maker, made files) { made[factA] += "x" }, []string{"fact " + factA}},
		{"another key", func(m *maker, made files) { *m = *makerWithKey(m.t, "shop", 2).fill() },
			[]string{"signature checkpoint", "signature goal"}},
		{"several at once", func(_ *maker, made files) {
			made.edit("records.jsonl", 2, "ä", "ö")
			delete(made, artefactA)
			delete(made, factA)
			made["x"] = ""
		}, []string{"artefact artefacts/00000000-3333-4333-8333-333333333333.json", "no-record entries:2", "fact facts/4610ef44787d68f54e6381834c3135a0893de084403354a1382a517ab686bcab", "record records.jsonl:2", "unknown-file x"}},
	}
}

func allDamages() []damage {
	return []damage{
		{"nothing", func(*maker, files) {}, nil},
		{"another root", func(m *maker, made files) {
			made["checkpoint"] = m.sign(m.key.Name() + "\n10\n" + m.hashes[0].String() + "\n")
		}, []string{"root checkpoint"}},
		{"another size", func(m *maker, made files) {
			made["checkpoint"] = m.sign(m.key.Name() + "\n11\n" + m.root().String() + "\n")
		}, []string{"count entries"}},
		{"a smaller size", func(m *maker, made files) {
			made["checkpoint"] = m.sign(m.key.Name() + "\n9\n" + m.root().String() + "\n")
		},
			[]string{"count entries", "index entries:10"}},
		{"a size beyond all numbers", func(m *maker, made files) {
			made["checkpoint"] = m.sign(m.key.Name() + "\n" + strings.Repeat("9", 100) + "\n" + m.root().String() + "\n")
		}, []string{"malformed checkpoint"}},
		{"another origin", func(m *maker, made files) { made["checkpoint"] = m.sign("x\n10\n" + m.root().String() + "\n") }, []string{"origin checkpoint"}},
		{"an extension line", func(m *maker, made files) {
			made["checkpoint"] = m.sign(m.key.Name() + "\n10\n" + m.root().String() + "\nmore\n")
		}, []string{"malformed checkpoint"}},
		{"a size with a zero before", func(m *maker, made files) {
			made["checkpoint"] = m.sign(m.key.Name() + "\n010\n" + m.root().String() + "\n")
		},
			[]string{"malformed checkpoint"}},
		{"a signature of another text", func(m *maker, made files) {
			text, _, _ := strings.Cut(made["checkpoint"], "\n\n")
			_, signature, _ := strings.Cut(m.sign("x\n"), "\n\n")
			made["checkpoint"] = text + "\n\n" + signature
		}, []string{"signature checkpoint"}},
		{"a signature of another key beside it", func(m *maker, made files) {
			other := makerWithKey(m.t, "other", 3).sign("x\n")
			made["checkpoint"] += strings.SplitAfterN(other, "\n", 3)[2]
		}, nil},
		{"no last event at all", func(_ *maker, made files) { made.cut("entries", 10); made.cut("records.jsonl", 10) }, []string{"count entries"}},
		{"a key that was exchanged, which nothing shows", func(m *maker, made files) {
			m.event("-", "notary_key", "{}")
			maps.Copy(made, m.bundle(""))
		}, []string{"key rotations"}},
		{"an exchange of a key of which the log has no word", func(_ *maker, made files) { made["rotations/5/handover"] = "x" },
			[]string{"key rotations", "key rotations/5/record"}},
		{"an entry that was changed with its record", func(m *maker, made files) {
			text := recordText(strings.Repeat("0", 32), place(8), "What?", "anything")
			made.edit("records.jsonl", 9, strings.TrimSuffix(strings.SplitAfter(made["records.jsonl"], "\n")[8], "\n"), text)
			made.edit("entries", 9, hexOf(m.records[8]), hexOf(text))
		}, []string{"root checkpoint"}},
		{"a proof", func(m *maker, made files) { made["proofs/3.tlog-proof"] = m.proof(3) }, []string{"missing goal", "proof proofs/0.tlog-proof", "proof proofs/1.tlog-proof", "proof proofs/2.tlog-proof", "proof proofs/4.tlog-proof", "proof proofs/5.tlog-proof", "proof proofs/6.tlog-proof", "proof proofs/7.tlog-proof", "proof proofs/8.tlog-proof", "proof proofs/9.tlog-proof"}},
		{"nothing at all", func(_ *maker, made files) { clear(made) }, []string{"missing checkpoint", "missing entries", "missing records.jsonl"}},
	}
}

func TestEachDamageIsNamed(t *testing.T) {
	codes := map[string]bool{"unreadable": true}
	for goal, damages := range map[string][]damage{goalA: goalDamages(), "": allDamages()} {
		for _, damage := range damages {
			t.Run(damage.name, func(t *testing.T) {
				m := newMaker(t).fill()
				made := m.bundle(goal)
				damage.change(m, made)
				expectProblems(t, m, made, damage.expected...)
			})
			for _, expected := range damage.expected {
				codes[strings.Fields(expected)[0]] = true
			}
		}
	}
	// The codes of acts have a test of their own, and the codes of anchors one with a real authority.
	for _, name := range codeNames[:anchorCode] {
		if !codes[name] {
			t.Errorf("no damage is named %s", name)
		}
	}
}

// What is nested deep in an event that was sealed is no problem: its entry says which goal it has.
func TestADeepEventIsRead(t *testing.T) {
	m := newMaker(t)
	deep := strings.Repeat(`{"a":[`, 100_000) + strings.Repeat(`]}`, 100_000)
	m.event(place(1), "x", `{"deep":`+deep+`,"goal_id":"`+goalA+`"}`)
	if m.goals[goalA] != 1 {
		t.Error("the goal was not found")
	}
	expectProblems(t, m, m.bundle(goalA))
}

func TestProblemsOfLinesAreBounded(t *testing.T) {
	m := newMaker(t).fill()
	made := m.bundle("")
	made["entries"] = strings.Repeat("\n", 3*maxProblemsOfLines)
	found := verified(pack(t, made), m.key)
	if len(found.problems) > maxProblemsOfLines+20 || found.leftOut != 2*maxProblemsOfLines {
		t.Errorf("%d problems, %d left out", len(found.problems), found.leftOut)
	}
}

// The library's numbers would overflow.
func TestAHugeSizeIsMalformed(t *testing.T) {
	for _, size := range []string{"9007199254740992", "4611686018427387905", "9223372036854775807", "18446744073709551616"} {
		m := newMaker(t).fill()
		made := m.bundle(goalA)
		made["checkpoint"] = m.sign(m.key.Name() + "\n" + size + "\n" + m.root().String() + "\n")
		expectProblems(t, m, made, "malformed checkpoint")
	}
}

// Each byte but those of README and keys counts.
func TestEachByteCounts(t *testing.T) {
	m := newMaker(t).fill()
	for _, goal := range []string{"", goalA} {
		whole := m.bundle(goal)
		for name, content := range whole {
			if name == "README" || name == "keys" {
				continue
			}
			for at := 0; at < len(content); at += 1 + len(content)/20 {
				for _, flip := range []byte{1, 0x80} {
					made := maps.Clone(whole)
					changed := []byte(content)
					changed[at] ^= flip
					made[name] = string(changed)
					if found := verified(pack(t, made), m.key); len(found.problems) == 0 {
						t.Errorf("%s, byte %s: nothing was found", name, strconv.Itoa(at))
					}
				}
			}
		}
	}
}
