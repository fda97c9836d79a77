package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// The type of keys of Ed25519 that sign with their time.
const cosigning = 4

// The last second that a verifier in JavaScript can tell.
const maxSeconds = 8_640_000_000_000

// `name`: in the policy. `keyName` and `id`: in notes.
type witness struct {
	name, keyName string
	id            [4]byte
	key           ed25519.PublicKey
}

// Whether so many have seen a log.
type rule func(names map[string]bool) bool

// `quorum`: nil where none is needed.
type policy struct {
	logs      []note.Verifier
	witnesses []witness
	quorum    rule
}

func (p *policy) isEnough(names map[string]bool) bool { return p.quorum == nil || p.quorum(names) }

// logOf finds the key of the log that the bundle names.
func (p *policy) logOf(origin string) note.Verifier {
	for _, log := range p.logs {
		if log.Name() == origin {
			return log
		}
	}
	return p.logs[0]
}

// When the witness has seen the text: nil where no signature names it.
func (w witness) seenAt(text string, signatures []byte) (first *time.Time, isRight bool) {
	for line := range strings.Lines(string(signatures)) {
		name, written, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "— "), "\n"), " ")
		content, err := base64.StdEncoding.DecodeString(written)
		if err != nil || name != w.keyName || !bytes.HasPrefix(content, w.id[:]) {
			continue
		}
		if len(content) != len(w.id)+8+ed25519.SignatureSize {
			return nil, false
		}
		seconds := binary.BigEndian.Uint64(content[len(w.id):])
		message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, text)
		if seconds > maxSeconds || !ed25519.Verify(w.key, []byte(message), content[len(w.id)+8:]) {
			return nil, false
		}
		if first == nil {
			at := time.Unix(int64(seconds), 0).UTC()
			first = &at
		}
	}
	return first, true
}

func readPolicyFile(path string) (*policy, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("The policy %s cannot be read: %w.", quoted(path), err)
	}
	read, err := readPolicy(content)
	if err != nil {
		return nil, fmt.Errorf("In the policy %s, %w.", quoted(path), err)
	}
	return read, nil
}

func readPolicy(content []byte) (*policy, error) {
	if !utf8.Valid(content) {
		return nil, errors.New("something is no UTF-8")
	}
	read := policyReader{rules: map[string]rule{}, members: map[string]bool{}}
	for at, line := range strings.Split(string(content), "\n") {
		words := strings.FieldsFunc(line, func(sign rune) bool { return sign == ' ' || sign == '\t' })
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if err := read.add(line, words); err != nil {
			return nil, fmt.Errorf("line %d %w", at+1, err)
		}
	}
	if !read.hasQuorum {
		return nil, errors.New("there is no quorum")
	}
	return &read.policy, nil
}

type policyReader struct {
	policy
	// The keys of logs.
	keys  [][]byte
	rules map[string]rule
	// The names that are in a group by now, since each may be in one alone.
	members   map[string]bool
	hasQuorum bool
}

func (r *policyReader) add(line string, words []string) error {
	if strings.ContainsFunc(line, func(sign rune) bool { return sign < ' ' && sign != '\t' || sign == 0x7f }) {
		return errors.New("has a control character")
	}
	word := func(at int) string {
		if at < len(words) {
			return words[at]
		}
		return ""
	}
	name := word(1)
	_, isKnown := r.rules[name]
	isNew := name != "none" && !isKnown
	switch kind := words[0]; {
	case kind == "log" && len(words) <= 3:
		return r.addLog(name)
	case kind == "witness" && isNew && len(words) <= 4:
		return r.addWitness(name, word(2))
	case kind == "group" && isNew && len(words) >= 4:
		return r.addGroup(name, words[2], words[3:])
	case kind == "quorum" && !r.hasQuorum && len(words) == 2 && !isNew:
		r.hasQuorum, r.quorum = true, r.rules[name]
		return nil
	}
	return errors.New("is not as c2sp.org/tlog-policy has it")
}

func (r *policyReader) addLog(text string) error {
	key, err := note.NewVerifier(text)
	if err != nil {
		return errors.New("has no key of a log")
	}
	_, _, material := keyParts(text)
	isTwice := slices.ContainsFunc(r.keys, func(one []byte) bool { return bytes.Equal(one, material[1:]) })
	if isTwice {
		return errors.New("has a key of a log that is there twice")
	}
	r.logs = append(r.logs, logKey{key, text})
	r.keys = append(r.keys, material[1:])
	return nil
}

func (r *policyReader) addWitness(name, text string) error {
	keyName, id, material := keyParts(text)
	hash := sha256.Sum256(append([]byte(keyName+"\n"), material...))
	isKey := isKeyName(keyName) && len(material) == 1+ed25519.PublicKeySize && material[0] == cosigning &&
		fmt.Sprintf("%x", hash[:4]) == id
	isTwice := isKey && slices.ContainsFunc(r.witnesses, func(one witness) bool { return bytes.Equal(one.key, material[1:]) })
	if !isKey || isTwice {
		return errors.New("has no key of a witness with Ed25519, or one that is there twice")
	}
	r.witnesses = append(r.witnesses, witness{name, keyName, [4]byte(hash[:4]), material[1:]})
	r.rules[name] = func(names map[string]bool) bool { return names[name] }
	return nil
}

func isKeyName(name string) bool {
	return name != "" && strings.IndexFunc(name, unicode.IsSpace) < 0
}

// `NAME+ID+KEY`.
func keyParts(text string) (name, id string, material []byte) {
	name, rest, _ := strings.Cut(text, "+")
	id, written, _ := strings.Cut(rest, "+")
	material, err := base64.StdEncoding.DecodeString(written)
	if err != nil || base64.StdEncoding.EncodeToString(material) != written {
		return "", "", nil
	}
	return name, id, material
}

func (r *policyReader) addGroup(name, count string, names []string) error {
	needed, err := strconv.Atoi(count)
	switch {
	case count == "any":
		needed, err = 1, nil
	case count == "all":
		needed, err = len(names), nil
	case !isDecimal([]byte(count)):
		err = errors.New("no number")
	}
	var parts []rule
	for _, part := range names {
		found, isKnown := r.rules[part]
		if !isKnown || r.members[part] {
			return errors.New("is no group of what is named before it, each once")
		}
		r.members[part] = true
		parts = append(parts, found)
	}
	if err != nil || needed < 1 || needed > len(names) {
		return errors.New("asks for another number than its group can have")
	}
	r.rules[name] = func(seen map[string]bool) bool {
		enough := 0
		for _, part := range parts {
			if part(seen) {
				enough++
			}
		}
		return enough >= needed
	}
	return nil
}
