package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const statementNamespace = "statement@sett.dev"

// `isRequired`: an act that is not signed is a problem.
type signing struct {
	signers    []allowedSigner
	isRequired bool
}

// An event by which a person has made an artefact. `at`: milliseconds.
type personalEvent struct {
	id, digest, actor string
	at                int64
}

// How many acts are signed, and how many are not.
type actCounts struct {
	Signed   int `json:"signed"`
	Unsigned int `json:"unsigned"`
}

// A later time than any.
const maxTimeDigits = 15

// It keeps what the acts of people need: the digest of each artefact that was named first.
func (b *bundle) noteAct(read record, said event) {
	if b.signing == nil || string(read.kind) != "artefact_created" || said.artefactID == "" || said.artefactDigest == "" {
		return
	}
	if b.contents[said.artefactID] == "" {
		b.contents[said.artefactID] = said.artefactDigest
	}
	if strings.HasPrefix(said.actor, "person:") {
		b.personal = append(b.personal, personalEvent{said.artefactID, said.artefactDigest, said.actor, timeOf(read.place)})
	}
}

func timeOf(place []byte) int64 {
	digits, _, _ := strings.Cut(string(place), "-")
	if len(digits) > maxTimeDigits {
		return 1<<53 - 1
	}
	// Of a record of the notary there are none.
	at, _ := strconv.ParseInt(digits, 10, 64)
	return at
}

var keyNameEnd = regexp.MustCompile(`\.sett\.invalid/[0-9a-f]{8}$`)

func (b *bundle) checkActs() error {
	if b.signing == nil {
		return nil
	}
	b.report.acts = &actCounts{}
	instance := keyNameEnd.ReplaceAllString(b.key.Name(), "")
	for _, one := range b.personal {
		name := "artefacts/" + one.id + ".json"
		file := b.files[name]
		if file == nil || file.sha256 != digestOf([]byte(one.digest)) {
			continue
		}
		content, err := file.all()
		if err != nil {
			return err
		}
		read, isRecord := parseArtefact(content)
		if !isRecord {
			b.add(statementCode, name, 0, "a person has made it, and it is not the record of an artefact")
			continue
		}
		act := read.act()
		if act == "" {
			continue
		}
		said, isSaid, isText := textMember(read["metadata"], "statement")
		armoured, isArmoured, isArmour := textMember(read["metadata"], "signature")
		marks := marks{said, armoured, isSaid || isArmoured, isText && isArmour}
		code, problem := b.problemOfAct(marks, b.stated(read, act, one, instance), one.at)
		b.count(code, name, 0, problem)
	}
	for _, one := range b.erasures.acts {
		marks := marksOf(one.said)
		code, problem := b.problemOfAct(marks, statedErasure(one.said, marks, instance), one.at)
		b.count(code, "records.jsonl", one.line, problem)
	}
	return nil
}

func (b *bundle) count(code code, file string, line int, problem string) {
	switch {
	case problem == "":
		b.report.acts.Signed++
	case code != unsigned || b.signing.isRequired:
		b.add(code, file, line, problem)
	default:
		b.report.acts.Unsigned++
	}
}

// A statement and its signature. `isAny`: one of them is there. `areTexts`: both are.
type marks struct {
	statement, signature string
	isAny, areTexts      bool
}

func marksOf(said event) marks {
	statement, isText := textOf(said.statement)
	signature, isArmour := textOf(said.signature)
	isAny := len(said.statement) > 0 || len(said.signature) > 0
	return marks{statement, signature, isAny, isText && isArmour}
}

// A person who has all of a goal erased signs once, and names no artefact.
func statedErasure(said event, signed marks, instance string) map[string]string {
	stated := map[string]string{
		"act": "erase", "instance": instance, "id": "", "goal": said.goal, "claim": "",
		"artefact": said.artefactID, "content": "", "commit": "", "for": "", "reason": said.reason,
		"name": strings.TrimPrefix(said.actor, "person:"),
	}
	stated["principal"] = nameOrAddress(stated["name"])
	if said.artefactDigest != "" {
		stated["content"] = "sha256:" + said.artefactDigest
	}
	statement, isStatement := parseTexts([]byte(signed.statement), statementFields[:])
	if isStatement && statement["artefact"] == "" {
		stated["artefact"], stated["content"] = "", ""
	}
	return stated
}

func nameOrAddress(name string) string {
	if found := addressForm.FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return name
}

// The fields of the record of an artefact, by their names.
type artefactRecord map[string]string

var artefactFields = [...]string{
	"salt", "id", "logical_id", "version", "structural_type", "type", "payload", "source_artefacts",
	"produced_by_role", "produced_by_agent", "created_at", "goal_id", "claim_id", "metadata",
}

func parseArtefact(content []byte) (artefactRecord, bool) {
	return parseTexts(content, artefactFields[:])
}

// An object whose members are these texts in this order, written in one way only.
func parseTexts(content []byte, names []string) (map[string]string, bool) {
	if !utf8.Valid(content) {
		return nil, false
	}
	read := map[string]string{}
	rest := string(content)
	before := "{"
	for _, name := range names {
		after, isThere := strings.CutPrefix(rest, before+`"`+name+`":`)
		if !isThere {
			return nil, false
		}
		value, behind, isText := cutText([]byte(after))
		if !isText {
			return nil, false
		}
		read[name], rest, before = string(value), string(behind), ","
	}
	return read, rest == "}"
}

func (a artefactRecord) act() string {
	switch a["structural_type"] {
	case "Review":
		if a["payload"] == "{}" {
			return "approve"
		}
		return "reject"
	case "Answer":
		if a["type"] == "Answer" {
			return "answer"
		}
	case "Standard":
		if a["type"] == "GoalDefined" && a["id"] == a["goal_id"] && a["produced_by_agent"] == "" {
			return "forage"
		}
	}
	return ""
}

// Whether there is such a member, and the text that it is; empty where it is no text.
func textMember(object, name string) (text string, isThere, isText bool) {
	members, _ := membersOf([]byte(object), name)
	value, isThere := members[name]
	text, isText = textOf(value)
	return text, isThere, isText
}

// Half a character is U+FFFD.
func textOf(value []byte) (string, bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return "", false
	}
	return text, true
}

var statementFields = [...]string{
	"sett_statement", "act", "meaning", "instance", "id", "goal", "claim", "artefact", "content",
	"commit", "for", "reason", "name", "principal", "at",
}

var addressForm = regexp.MustCompile(` <([^<>]+)>$`)

// It follows from the record and the event.
func (b *bundle) stated(read artefactRecord, act string, by personalEvent, instance string) map[string]string {
	stated := map[string]string{
		"act": act, "instance": instance, "id": read["id"], "goal": read["goal_id"],
		"claim": read["claim_id"], "name": strings.TrimPrefix(by.actor, "person:"),
		"artefact": "", "content": "", "for": "", "reason": read["payload"],
	}
	stated["commit"], _, _ = textMember(read["metadata"], "commit")
	stated["principal"] = nameOrAddress(stated["name"])
	if act != "forage" {
		stated["artefact"] = firstText(read["source_artefacts"])
		if digest := b.contents[stated["artefact"]]; digest != "" {
			stated["content"] = "sha256:" + digest
		}
	}
	switch act {
	case "approve":
		stated["for"] = read["produced_by_agent"]
		stated["reason"], _, _ = textMember(read["metadata"], "comment")
	case "reject":
		stated["for"] = read["produced_by_agent"]
		stated["reason"], _, _ = textMember(read["payload"], "reason")
	}
	return stated
}

func firstText(list string) string {
	var all []json.RawMessage
	if json.Unmarshal([]byte(list), &all) != nil || len(all) == 0 {
		return ""
	}
	text, _ := textOf(all[0])
	return text
}

// The first problem; empty where the person has signed exactly this.
func (b *bundle) problemOfAct(signed marks, stated map[string]string, at int64) (code, string) {
	if !signed.isAny {
		return unsigned, "nothing is signed"
	}
	if !signed.areTexts {
		return statementCode, "it has not both a statement and a signature, as texts"
	}
	statement, isStatement := parseTexts([]byte(signed.statement), statementFields[:])
	if !isStatement {
		return statementCode, "its statement has not the form of one"
	}
	if wrong := otherwise(statement, stated, at); wrong != "" {
		return statementCode, wrong
	}
	signature, isSignature := parseSSHSignature(signed.signature)
	switch {
	case !isSignature:
		return sshsigCode, "its signature has not the form of SSHSIG"
	case string(signature.namespace) != statementNamespace:
		return namespaceCode, "its signature is of another namespace"
	case !signature.isOf(signed.statement):
		return sshsigCode, "its signature is not one of these bytes"
	}
	return b.problemOfSigner(statement["principal"], signature.key, at)
}

var meanings = []string{"review", "approval", "responsibility", "authorship"}

func otherwise(statement, stated map[string]string, at int64) string {
	if statement["sett_statement"] != "1" {
		return "its statement is of another version"
	}
	if !slices.Contains(meanings, statement["meaning"]) {
		return "its statement has a meaning that is none"
	}
	var other []string
	for _, name := range statementFields {
		if expected, isStated := stated[name]; isStated && expected != statement[name] {
			other = append(other, name)
		}
	}
	if len(other) > 0 {
		return "its statement and the record differ in: " + strings.Join(other, ", ")
	}
	const layout = "2006-01-02T15:04:05.000Z"
	signed, err := time.Parse(layout, statement["at"])
	if err != nil || signed.Format(layout) != statement["at"] {
		return "its statement has no time"
	}
	ago := at - signed.UnixMilli()
	if ago > 24*time.Hour.Milliseconds() || ago < -(5*time.Minute).Milliseconds() {
		return "its statement and the log differ in the time"
	}
	return ""
}

func (b *bundle) problemOfSigner(principal string, key []byte, at int64) (code, string) {
	isKnown := false
	second := at / 1000
	for _, one := range b.signing.signers {
		if !one.isOf(principal, key) {
			continue
		}
		if isKnown = true; one.isValid(second) {
			return 0, ""
		}
	}
	if !isKnown {
		return signerCode, "no line of the signers has this key for this name"
	}
	return validityCode, "the key was not valid for this name at that time"
}
