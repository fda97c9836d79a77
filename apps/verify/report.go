package main

import (
	"bufio"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The codes, in the order in which they are named where several are about one place.
type code int

const (
	unreadable code = iota
	missing
	unknownFile
	signature
	malformed
	origin
	size
	order
	index
	otherGoal
	number
	count
	recordCode
	noRecord
	proofCode
	root
	artefact
	fact
	erasedCode
	keyCode
	anchorCode
	tsaCode
	witnessCode
	unsigned
	statementCode
	namespaceCode
	sshsigCode
	signerCode
	validityCode
	approvalsCode
	attestationCode
	receiptCode
)

var codeNames = [...]string{
	"unreadable", "missing", "unknown-file", "signature", "malformed", "origin", "size", "order",
	"index", "other-goal", "number", "count", "record", "no-record", "proof", "root", "artefact",
	"fact", "erased", "key", "anchor", "tsa", "witness", "unsigned", "statement", "namespace", "sshsig",
	"signer", "validity", "approvals", "attestation", "receipt",
}

// `line`: from 1; 0 where the problem is about the whole file. `file`: empty where it is about the
// archive.
type problem struct {
	code code
	file string
	line int
	text string
}

// More problems of the lines of a file are only counted, so that a file of line feeds cannot fill
// the memory.
const maxProblemsOfLines = 100_000

type report struct {
	problems []problem
	leftOut  int
	ofLines  map[string]int
	named    map[problem]struct{}

	goal, size *string
	after      *formerLog
	keyName    string
	entries    int
	// How many artefacts were erased on record.
	erased int
	// How many attestations there are.
	attested int
	// Nil where no signers are known.
	acts *actCounts
	// The anchors that are shown, by rising size.
	anchors []anchor
}

func (r *report) add(code code, file string, line int, text string) {
	if line > 0 {
		if r.ofLines == nil {
			r.ofLines = map[string]int{}
		}
		if r.ofLines[file] == maxProblemsOfLines {
			r.leftOut++
			return
		}
		r.ofLines[file]++
	} else {
		key := problem{code: code, file: file}
		if _, isNamed := r.named[key]; isNamed {
			return
		}
		if r.named == nil {
			r.named = map[problem]struct{}{}
		}
		r.named[key] = struct{}{}
	}
	r.problems = append(r.problems, problem{code, file, line, text})
}

// By file, bytewise, then by line.
func (r *report) sort() {
	sort.SliceStable(r.problems, func(a, b int) bool {
		one, other := r.problems[a], r.problems[b]
		if one.file != other.file {
			return one.file < other.file
		}
		if one.line != other.line {
			return one.line < other.line
		}
		return one.code < other.code
	})
}

// An archive has no place of its own in a problem: `-`.
func (p problem) place() string {
	switch {
	case p.file == "":
		return "-"
	case p.line > 0:
		return p.file + ":" + strconv.Itoa(p.line)
	default:
		return p.file
	}
}

func (r *report) write(out io.Writer) error {
	lines := bufio.NewWriter(out)
	for _, problem := range r.problems {
		fmt.Fprintf(lines, "%s %s: %s.\n", codeNames[problem.code], quoted(problem.place()), problem.text)
	}
	if r.leftOut > 0 {
		fmt.Fprintf(lines, "… and %d problems more\n", r.leftOut)
	}
	if len(r.problems) == 0 {
		what := "all entries"
		if r.goal != nil {
			what = "all entries of the goal " + *r.goal
		}
		fmt.Fprintf(lines, "Shown: %d entries, %s in the log %s of size %s.\n", r.entries, what, r.keyName, *r.size)
		if r.erased > 0 {
			fmt.Fprintf(lines, "Erased on record: %d artefacts.\n", r.erased)
		}
		if r.attested > 0 {
			fmt.Fprintf(lines, "Attested: %d commits.\n", r.attested)
		}
		if r.acts != nil {
			fmt.Fprintf(lines, "Acts of people: %d signed, %d not signed.\n", r.acts.Signed, r.acts.Unsigned)
		}
		r.writeTimes(lines)
		if r.after != nil {
			fmt.Fprintf(lines, "Not shown: that this log goes on from %s, of size %s, which was lost. Only what others have seen of both shows it.\n", quoted(r.after.Origin), r.after.Size)
		}
	}
	return lines.Flush()
}

// A witness counts where enough of them have seen the log.
func (r *report) writeTimes(out io.Writer) {
	for _, one := range r.anchors {
		times := one.Seen
		if !one.IsWitnessed {
			times = nil
		}
		if one.Stamp != nil {
			times = append([]seen{*one.Stamp}, times...)
		}
		for _, moment := range times {
			at := moment.At.Format(time.RFC3339Nano)
			fmt.Fprintf(out, "Not later than %s: the entries below %d, by %s.\n", at, one.Size, quoted(moment.By))
			if one.Sealed != nil {
				fmt.Fprintf(out, "Not earlier than %s: the entries above %d.\n", at, *one.Sealed)
			}
		}
	}
}

type problemJSON struct {
	Code  string `json:"code"`
	Place string `json:"place"`
	Text  string `json:"text"`
}

type reportJSON struct {
	Shown    bool          `json:"shown"`
	Goal     *string       `json:"goal"`
	Size     *jsonNumber   `json:"size"`
	Entries  int           `json:"entries"`
	Erased   int           `json:"erased,omitempty"`
	Attested int           `json:"attested,omitempty"`
	Problems []problemJSON `json:"problems"`
	LeftOut  int           `json:"left_out,omitempty"`
	Acts     *actCounts    `json:"acts,omitempty"`
	Anchors  []anchor      `json:"anchors,omitempty"`
	After    *formerLog    `json:"after,omitempty"`
}

// Digits that may be more than a number of Go holds.
type jsonNumber string

func (n jsonNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

func (r *report) toJSON() reportJSON {
	problems := make([]problemJSON, 0, len(r.problems))
	for _, problem := range r.problems {
		problems = append(problems, problemJSON{codeNames[problem.code], problem.place(), problem.text + "."})
	}
	return reportJSON{
		Shown:    len(problems) == 0,
		Goal:     r.goal,
		Size:     (*jsonNumber)(r.size),
		Entries:  r.entries,
		Erased:   r.erased,
		Attested: r.attested,
		Problems: problems,
		LeftOut:  r.leftOut,
		Acts:     r.acts,
		Anchors:  r.anchors,
		After:    r.after,
	}
}

// Names come out of the archive, so that what a terminal would obey is written with `\`.
func quoted(text string) string {
	isPlain := utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) || r == '\\' || r == '"'
	}) < 0
	if isPlain && text != "" {
		return text
	}
	return strconv.QuoteToASCII(text)
}
