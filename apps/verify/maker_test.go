package main

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	goalA = "11111111-1111-4111-8111-111111111111"
	goalB = "22222222-2222-4222-8222-222222222222"
)

// A log in memory, and the bundles of it.
type maker struct {
	t       testing.TB
	signer  note.Signer
	key     note.Verifier
	records []string
	entries []string
	goals   map[string]int
	hashes  []tlog.Hash
	// It has the digests that events name, by file.
	contents map[string]string
}

func newMaker(t testing.TB) *maker {
	return makerWithKey(t, "shop", 1)
}

func makerWithKey(t testing.TB, instance string, seed byte) *maker {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	public := private.Public().(ed25519.PublicKey)
	sum := sha256.Sum256(public)
	name := instance + ".sett.invalid/" + hex.EncodeToString(sum[:4])
	verifierKey, err := note.NewEd25519VerifierKey(name, public)
	must(t, err)
	key, err := note.NewVerifier(verifierKey)
	must(t, err)
	m := &maker{t: t, key: key, goals: map[string]int{}, contents: map[string]string{}}
	m.signer = signer{key, private}
	return m
}

type signer struct {
	note.Verifier
	private ed25519.PrivateKey
}

func (s signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.private, text), nil }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A log with events of two goals, an artefact and a fact of each, records of the notary, a type
// that is none and events that are no JSON objects.
func (m *maker) fill() *maker {
	m.event("-", "notary_began", `{"instance":"shop","version":"1.0.0"}`)
	for at, goal := range []string{goalA, goalB, goalA, goalA, goalB, goalA, goalB} {
		id := fmt.Sprintf("%08x-3333-4333-8333-333333333333", at)
		content := fmt.Sprintf(`{"salt":"%032x","id":"%s","payload":"one %d"}`, at, id, at)
		m.contents["artefacts/"+id+".json"] = content
		policy := fmt.Sprintf("rule %d", at/3)
		m.contents["facts/"+hexOf(policy)] = policy
		m.event(place(at), "artefact_created", fmt.Sprintf(
			`{"goal_id":"%s","artefact_id":"%s","data":{"sha256":"%s","policy":"%s"},"say":"\"ä\u0007\n"}`,
			goal, id, hexOf(content), hexOf(policy)))
	}
	m.event(place(8), "What?", "no\tJSON\x01")
	m.event(place(9), "claim_opened", `{"goal_id":"`+strings.ToUpper(goalA)+`x"}`)
	return m
}

// A person erases an artefact of goalA.
func (m *maker) erase(name string) {
	id, _ := between(name, "artefacts/", ".json")
	m.event(place(10), "artefact_erased", fmt.Sprintf(
		`{"actor":"person:Ada","goal_id":"%s","artefact_id":"%s","data":{"reason":"Request 17","sha256":"%s"}}`,
		goalA, id, hexOf(m.contents[name])))
}

func place(at int) string { return fmt.Sprintf("1795230000%03d-0", at) }

func (m *maker) event(place, kind, event string) {
	m.record(recordText(fmt.Sprintf("%032x", len(m.records)), place, kind, event), place, kind, event)
}

func recordText(salt, place, kind, event string) string {
	return fmt.Sprintf(`{"salt":%s,"place":%s,"type":%s,"event":%s}`, jsonText(salt), jsonText(place), jsonText(kind), jsonText(event))
}

func (m *maker) record(text, place, kind, event string) {
	goal := readEvent([]byte(event)).goal
	if goal == "" {
		goal = "-"
	}
	m.goals[goal]++
	entry := fmt.Sprintf("sett/1 %s %s %s %d %s\n", place, typeOf([]byte(kind)), goal, m.goals[goal], hexOf(text))
	hashes, err := tlog.StoredHashes(int64(len(m.entries)), []byte(entry), m)
	must(m.t, err)
	m.hashes = append(m.hashes, hashes...)
	m.records = append(m.records, text)
	m.entries = append(m.entries, entry)
}

func (m *maker) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var read []tlog.Hash
	for _, at := range indexes {
		read = append(read, m.hashes[at])
	}
	return read, nil
}

// As the page says it, in another way than the program reads it.
func jsonText(text string) string {
	written := strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\b", `\b`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`).Replace(text)
	for value := range 0x20 {
		written = strings.ReplaceAll(written, string(rune(value)), fmt.Sprintf(`\u%04x`, value))
	}
	return `"` + written + `"`
}

func (m *maker) sign(text string) string {
	signed, err := note.Sign(&note.Note{Text: text}, m.signer)
	must(m.t, err)
	return string(signed)
}

func (m *maker) root() tlog.Hash {
	hash, err := tlog.TreeHash(int64(len(m.entries)), m)
	must(m.t, err)
	return hash
}

func (m *maker) checkpoint() string {
	return m.sign(fmt.Sprintf("%s\n%d\n%s\n", m.key.Name(), len(m.entries), m.root()))
}

func (m *maker) proof(index int) string {
	proof, err := tlog.ProveRecord(int64(len(m.entries)), int64(index), m)
	must(m.t, err)
	lines := fmt.Sprintf("c2sp.org/tlog-proof@v1\nindex %d\n", index)
	for _, hash := range proof {
		lines += hash.String() + "\n"
	}
	return lines + "\n" + m.checkpoint()
}

type files map[string]string

// Everything, or with a goal all about it.
func (m *maker) bundle(goal string) files {
	made := files{"README": "Hello\n", "keys": "", "checkpoint": m.checkpoint()}
	for index, entry := range m.entries {
		if goal != "" && strings.Split(entry, " ")[3] != goal {
			continue
		}
		made["entries"] += strconv.Itoa(index) + " " + entry
		made["records.jsonl"] += m.records[index] + "\n"
		if goal != "" {
			made["proofs/"+strconv.Itoa(index)+".tlog-proof"] = m.proof(index)
		}
	}
	if goal != "" {
		made["goal"] = m.sign(fmt.Sprintf("sett/1 goal %s events %d log %d state open\n", goal, m.goals[goal], len(m.entries)))
	}
	for name, content := range m.contents {
		_, named, _ := strings.Cut(name, "/")
		if strings.Contains(made["records.jsonl"], strings.TrimSuffix(named, ".json")) {
			made[name] = content
		}
	}
	return made
}

// By the tar of the standard library, so that the program's own is held by another one.
func pack(t testing.TB, made files) []byte {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	names := make([]string, 0, len(made))
	for name := range made {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		must(t, writer.WriteHeader(&tar.Header{Name: name, Size: int64(len(made[name])), Mode: 0o644, Format: tar.FormatUSTAR}))
		_, err := io.WriteString(writer, made[name])
		must(t, err)
	}
	must(t, writer.Close())
	return archive.Bytes()
}

func problemsOf(found report) []string {
	named := []string{}
	for _, problem := range found.problems {
		named = append(named, codeNames[problem.code]+" "+problem.place())
	}
	return named
}

func hexOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func verified(archive []byte, key note.Verifier) report {
	found, err := verify(bytes.NewReader(archive), int64(len(archive)), key, nil, nil, outsideTrust{})
	if err != nil {
		panic(err)
	}
	return found
}

func archiveOf(archive []byte) (map[string]*file, error) {
	return readArchive(bytes.NewReader(archive), int64(len(archive)))
}

func contentOf(read *file) string {
	content, err := read.all()
	if err != nil {
		panic(err)
	}
	return string(content)
}

// The text of the key of a maker, under this name.
func verifierKey(t testing.TB, name string, m *maker) string {
	text, err := note.NewEd25519VerifierKey(name, m.signer.(signer).private.Public().(ed25519.PublicKey))
	must(t, err)
	return text
}
