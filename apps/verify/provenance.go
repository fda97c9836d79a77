package main

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An event that a statement may be about. `data`: its members, as they are written.
type step struct {
	kind, place, actor, claim, agent, artefact string
	data                                       map[string][]byte
}

// Events of these types are looked at, and those that name registrations.
var stepKinds = []string{"artefact_created", "claim_opened", "grant_started", "grant_done", "model_called"}

func (b *bundle) noteStep(read record, said event) {
	if b.steps == nil {
		return
	}
	all, _ := membersOf(read.event, "data", "agent")
	data, _ := membersOf(all["data"], "sha256", "structural_type", "agent", "attempt", "phase", "base_commit",
		"inputs", "inputs_sha256", "stdin", "stdout", "stderr", "kind", "request", "answer", "provider", "asked",
		"answered", "registry", "rejects")
	one := step{string(read.kind), string(read.place), said.actor, said.claim, said.agent, said.artefactID, data}
	if slices.Contains(stepKinds, one.kind) || one.digest("registry") != "" {
		b.steps[said.goal] = append(b.steps[said.goal], one)
	}
}

func (s step) text(name string) string {
	text, _ := textOf(s.data[name])
	return text
}

func (s step) digest(name string) string { return wordOf(s.data[name], isDigest) }

// 0 where it is none.
func (s step) attempt() int {
	value := s.data["attempt"]
	if len(value) == 0 || !strings.ContainsRune("-0123456789", rune(value[0])) {
		return 0
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != math.Trunc(number) || number < 1 || number > 999_999 {
		return 0
	}
	return int(number)
}

func (s step) creates(id string) bool {
	return s.kind == "artefact_created" && s.artefact == id && s.digest("sha256") != ""
}

func isCommit(word []byte) bool { return isHex(word, 40) || isHex(word, 64) }

// The attempt by which an artefact was made. `steps`: of its goal. `start` may be nil.
type work struct {
	steps      []step
	end, start *step
	calls      []step
}

// The statement about an artefact, and the commit that it has delivered: empty where there is none,
// or the commit itself is not there.
func (b *bundle) statementOf(id string) (statement, commit string, err error) {
	file := b.files[artefactName(id)]
	if file == nil {
		return "", "", nil
	}
	content, err := file.all()
	if err != nil {
		return "", "", err
	}
	read, isRecord := parseArtefact(content)
	if !isRecord || read["structural_type"] == "Review" || !isUUID([]byte(read["goal_id"])) {
		return "", "", nil
	}
	commit, _, _ = textMember(read["metadata"], "commit")
	made := workOn(id, b.steps[read["goal_id"]])
	if !isCommit([]byte(commit)) || made == nil || made.digestOf(id) == "" ||
		digestOf([]byte(made.digestOf(id))) != file.sha256 ||
		made.start != nil && wordOf(made.start.data["base_commit"], isCommit) == commit {
		return "", "", nil
	}
	object := b.files[commitName(commit)]
	if object == nil {
		return "", commit, nil
	}
	if content, err = object.all(); err != nil {
		return "", "", err
	}
	tree := treeIn(content, commit)
	if tree == "" {
		return "", commit, nil
	}
	image, err := b.imageFor(made)
	if err != nil {
		return "", "", err
	}
	return made.statement(id, read["goal_id"], commit, tree, image, b.key.Name()), commit, nil
}

func workOn(id string, steps []step) *work {
	at := slices.IndexFunc(steps, func(s step) bool { return s.kind == "grant_done" && s.artefact == id })
	if at < 0 || steps[at].claim == "" || steps[at].agent == "" {
		return nil
	}
	made := &work{steps: steps, end: &steps[at]}
	for at := range steps {
		one := &steps[at]
		if one.claim != made.end.claim || one.agent != made.end.agent || one.attempt() != made.end.attempt() {
			continue
		}
		switch {
		case one.kind == "grant_started" && made.isBefore(one, made.end):
			made.start = one
		case one.kind == "model_called" && one.text("kind") == "grant":
			made.calls = append(made.calls, *one)
		}
	}
	return made
}

func (w *work) indexOf(wanted *step) int {
	for at := range w.steps {
		if &w.steps[at] == wanted {
			return at
		}
	}
	return -1
}

func (w *work) isBefore(one, other *step) bool { return w.indexOf(one) < w.indexOf(other) }

// The digest with which an artefact is created; empty where no event says so.
func (w *work) digestOf(id string) string {
	for _, one := range w.steps {
		if one.creates(id) {
			return one.digest("sha256")
		}
	}
	return ""
}

var imageForm = regexp.MustCompile(`(?:^|@)sha256:([0-9a-f]{64})$`)

// The image by the registrations on which the work was decided; empty where they do not say so.
func (b *bundle) imageFor(w *work) (string, error) {
	until := w.start
	if until == nil {
		until = w.end
	}
	registry := ""
	for _, one := range w.steps[:w.indexOf(until)] {
		if digest := one.digest("registry"); digest != "" && one.claim == w.end.claim {
			registry = digest
		}
	}
	file := b.files["facts/"+registry]
	if file == nil || file.sha256 != digestOf([]byte(registry)) {
		return "", nil
	}
	content, err := file.all()
	if err != nil {
		return "", err
	}
	var agents []json.RawMessage
	if json.Unmarshal(content, &agents) != nil {
		return "", nil
	}
	for _, agent := range agents {
		if name, _, isText := textMember(string(agent), "name"); isText && name == w.end.agent {
			image, _, _ := textMember(string(agent), "image")
			if found := imageForm.FindStringSubmatch(image); found != nil {
				return found[1], nil
			}
			return "", nil
		}
	}
	return "", nil
}

func (w *work) statement(id, goal, commit, tree, image, keyName string) string {
	attempt := strconv.Itoa(w.end.attempt())
	return object(
		text("_type", "https://in-toto.io/Statement/v1"),
		member("subject", list([]string{
			resource("commit", "", digestMember("gitCommit", commit)),
			resource("tree", "", digestMember("gitTree", tree)),
		})),
		text("predicateType", "https://slsa.dev/provenance/v1"),
		member("predicate", object(
			member("buildDefinition", object(
				text("buildType", "https://sett.dev/grant/v1"),
				member("externalParameters", object(
					text("goal", goal), text("claim", w.end.claim), text("agent", w.end.agent),
					text("phase", w.end.text("phase")), text("attempt", attempt),
				)),
				member("resolvedDependencies", list(w.needed(image))),
			)),
			member("runDetails", object(
				member("builder", object(text("id", "https://"+keyName))),
				member("metadata", object(
					text("invocationId", w.end.claim+"/"+w.end.agent+"/"+attempt),
					timeMember("startedOn", w.start), timeMember("finishedOn", w.end),
				)),
				member("byproducts", list(w.byproducts(id))),
			)),
		)),
	)
}

func (w *work) needed(image string) []string {
	var all []string
	inputs := []string{}
	if at := slices.IndexFunc(w.steps, func(s step) bool { return s.kind == "claim_opened" && s.claim == w.end.claim }); at >= 0 {
		inputs = append(inputs, w.steps[at].artefact)
	}
	start := step{}
	if w.start != nil {
		start = *w.start
	}
	inputs = append(inputs, strings.Split(start.text("inputs"), " ")...)
	if base := wordOf(start.data["base_commit"], isCommit); base != "" {
		all = append(all, resource("base", "", digestMember("gitCommit", base)))
	}
	all = appendDigest(all, "image", image)
	for _, id := range inputs {
		if isUUID([]byte(id)) {
			all = append(all, w.artefact("input", id))
		}
	}
	all = appendDigest(all, "inputs", start.digest("inputs_sha256"))
	all = appendDigest(all, "stdin", w.end.digest("stdin"))
	for _, call := range w.calls {
		model := call.text("answered")
		if model == "" {
			model = call.text("asked")
		}
		all = append(all, resource("prompt", "", digestMember("sha256", call.digest("request")),
			member("annotations", object(text("provider", call.text("provider")), text("model", model)))))
	}
	return all
}

func (w *work) byproducts(id string) []string {
	all := []string{w.artefact("artefact", id)}
	all = appendDigest(all, "stdout", w.end.digest("stdout"))
	all = appendDigest(all, "stderr", w.end.digest("stderr"))
	for _, call := range w.calls {
		all = appendDigest(all, "answer", call.digest("answer"))
	}
	about, rejected := map[string]bool{}, map[string]bool{}
	for _, one := range w.steps {
		switch {
		case one.kind == "claim_opened" && one.artefact == id && one.claim != "":
			about[one.claim] = true
		case one.kind == "grant_done" && string(one.data["rejects"]) == "true":
			rejected[one.artefact] = true
		}
	}
	for _, one := range w.steps {
		if one.kind != "artefact_created" || !about[one.claim] || one.artefact == "" || one.text("structural_type") != "Review" {
			continue
		}
		verdict := "approves"
		if rejected[one.artefact] {
			verdict = "rejects"
		}
		all = append(all, w.artefact("review", one.artefact, member("annotations", object(
			text("by", one.actor), text("for", one.text("agent")), text("verdict", verdict)))))
	}
	return all
}

func (w *work) artefact(name, id string, more ...string) string {
	members := append([]string{digestMember("sha256", w.digestOf(id))}, more...)
	return resource(name, "urn:uuid:"+id, members...)
}

// Nothing is added where there is no digest.
func appendDigest(all []string, name, digest string) []string {
	if digest == "" {
		return all
	}
	return append(all, resource(name, "", digestMember("sha256", digest)))
}

func resource(name, uri string, more ...string) string {
	members := []string{text("name", name)}
	if uri != "" {
		members = append(members, text("uri", uri))
	}
	return object(append(members, more...)...)
}

func digestMember(kind, digest string) string {
	if digest == "" {
		return ""
	}
	return member("digest", object(text(kind, digest)))
}

// The year 10000 begins then.
const endOfTimeMs = 253_402_300_800_000

var placeForm = regexp.MustCompile(`^([0-9]{1,15})-`)

func timeMember(name string, of *step) string {
	if of == nil {
		return ""
	}
	found := placeForm.FindStringSubmatch(of.place)
	if found == nil {
		return ""
	}
	ms, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil || ms >= endOfTimeMs {
		return ""
	}
	return text(name, time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// JSON as the page has it: a member that is empty is left out.
func object(members ...string) string {
	there := slices.DeleteFunc(members, func(one string) bool { return one == "" })
	return "{" + strings.Join(there, ",") + "}"
}

func list(values []string) string { return "[" + strings.Join(values, ",") + "]" }

func member(name, value string) string { return quotedText(name) + ":" + value }

func text(name, value string) string { return member(name, quotedText(value)) }

var shortEscapes = map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}

func quotedText(value string) string {
	var written strings.Builder
	written.WriteByte('"')
	for at := range len(value) {
		one := value[at]
		short, isShort := shortEscapes[one]
		switch {
		case isShort:
			written.WriteString(short)
		case one < 0x20:
			written.WriteString(`\u00` + string("0123456789abcdef"[one>>4]) + string("0123456789abcdef"[one&15]))
		default:
			written.WriteByte(one)
		}
	}
	written.WriteByte('"')
	return written.String()
}
