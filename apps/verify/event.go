package main

import (
	"bytes"
	"encoding/json"
)

// It has what an event says that a verifier needs; empty where it says nothing of the kind.
type event struct {
	goal, artefactID, artefactDigest, actor string
	facts                                   []string
	// An approval names the claim, for which agent, how many are needed, and whose do not count.
	claim, agent, madeBy, notBy string
	approvals                   int
	isAgent, isMadeBy, rejects  bool
	// An erasure has a reason; a statement and its signature are JSON as it is written.
	reason               string
	statement, signature []byte
}

// An event that is no JSON object says nothing.
func readEvent(text []byte) event {
	all, isObject := membersOf(text, "goal_id", "artefact_id", "data", "actor", "claim_id", "agent")
	if !isObject {
		return event{}
	}
	// The data is a part of what was read, so that it is JSON.
	data, _ := membersOf(all["data"], "sha256", "registry", "policy", "paths", "agent", "approvals", "not_by", "rejects",
		"reason", "statement", "signature")
	said := event{
		goal:           wordOf(all["goal_id"], isUUID),
		artefactID:     wordOf(all["artefact_id"], isUUID),
		artefactDigest: wordOf(data["sha256"], isDigest),
	}
	said.actor, _ = textOf(all["actor"])
	said.claim = wordOf(all["claim_id"], isUUID)
	said.agent, said.isAgent = textOf(all["agent"])
	said.madeBy, said.isMadeBy = textOf(data["agent"])
	said.notBy, _ = textOf(data["not_by"])
	said.approvals = neededOf(data["approvals"])
	said.rejects = string(data["rejects"]) == "true"
	said.reason, _ = textOf(data["reason"])
	said.statement, said.signature = data["statement"], data["signature"]
	for _, name := range [...]string{"registry", "policy", "paths"} {
		if digest := wordOf(data[name], isDigest); digest != "" {
			said.facts = append(said.facts, digest)
		}
	}
	return said
}

func isDigest(word []byte) bool { return isHex(word, 64) }

// The text that a value is, if it is one of this form.
func wordOf(value []byte, hasForm func([]byte) bool) string {
	// Each of at most 64 characters may be written with 6 bytes.
	if len(value) < 2 || value[0] != '"' || len(value) > 2+6*64 {
		return ""
	}
	var word string
	if json.Unmarshal(value, &word) != nil || !hasForm([]byte(word)) {
		return ""
	}
	return word
}

// The values of some members of a JSON object, as they are written. Of two members with one name
// the last counts. encoding/json is not used, since it refuses what is nested 10 000 deep.
func membersOf(text []byte, wanted ...string) (map[string][]byte, bool) {
	members := map[string][]byte{}
	rest := skipSpace(text)
	if len(rest) == 0 || rest[0] != '{' {
		return nil, false
	}
	rest = skipSpace(rest[1:])
	if len(rest) > 0 && rest[0] == '}' {
		return members, len(skipSpace(rest[1:])) == 0
	}
	for {
		name, after, isText := cutJSONText(rest)
		if !isText {
			return nil, false
		}
		after = skipSpace(after)
		if len(after) == 0 || after[0] != ':' {
			return nil, false
		}
		value, after, isValue := cutValue(skipSpace(after[1:]))
		if !isValue {
			return nil, false
		}
		for _, one := range wanted {
			if isWord(name, one) {
				members[one] = value
			}
		}
		after = skipSpace(after)
		switch {
		case len(after) > 0 && after[0] == ',':
			rest = skipSpace(after[1:])
		case len(after) > 0 && after[0] == '}':
			return members, len(skipSpace(after[1:])) == 0
		default:
			return nil, false
		}
	}
}

func isWord(text []byte, word string) bool {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1:len(text)-1]) == word
	}
	return wordOf(text, func(read []byte) bool { return string(read) == word }) != ""
}

// Reads one JSON value from the beginning of a text, without calling itself: its own list has which
// objects and arrays are open.
func cutValue(text []byte) (value, rest []byte, isValue bool) {
	var open []byte
	rest = text
	for {
		var kind byte
		if len(rest) > 0 {
			kind = rest[0]
		}
		isOpened := false
		switch kind {
		case '{', '[':
			rest = skipSpace(rest[1:])
			if len(rest) > 0 && rest[0] == kind+2 {
				rest = rest[1:]
			} else {
				open = append(open, kind)
				isOpened = true
			}
		case '"':
			if _, rest, isValue = cutJSONText(rest); !isValue {
				return nil, nil, false
			}
		default:
			if rest, isValue = skipWord(rest); !isValue {
				return nil, nil, false
			}
		}
		for !isOpened {
			if len(open) == 0 {
				return text[:len(text)-len(rest)], rest, true
			}
			if rest = skipSpace(rest); len(rest) == 0 {
				return nil, nil, false
			}
			last := open[len(open)-1]
			isOpened = rest[0] == ','
			if !isOpened && rest[0] != last+2 {
				return nil, nil, false
			}
			rest = rest[1:]
			if !isOpened {
				open = open[:len(open)-1]
			}
		}
		rest = skipSpace(rest)
		if open[len(open)-1] == '{' {
			if rest, isValue = skipName(rest); !isValue {
				return nil, nil, false
			}
		}
	}
}

func skipName(text []byte) ([]byte, bool) {
	_, rest, isText := cutJSONText(text)
	rest = skipSpace(rest)
	if !isText || len(rest) == 0 || rest[0] != ':' {
		return nil, false
	}
	return skipSpace(rest[1:]), true
}

// With its quotation marks. The text is known to be UTF-8.
func cutJSONText(text []byte) (whole, rest []byte, isText bool) {
	if len(text) == 0 || text[0] != '"' {
		return nil, nil, false
	}
	for at := 1; at < len(text); at++ {
		switch value := text[at]; {
		case value == '"':
			return text[:at+1], text[at+1:], true
		case value < 0x20:
			return nil, nil, false
		case value == '\\':
			length := escapeLength(text[at:])
			if length == 0 {
				return nil, nil, false
			}
			at += length - 1
		}
	}
	return nil, nil, false
}

func escapeLength(text []byte) int {
	switch {
	case len(text) >= 2 && bytes.IndexByte([]byte(`"\/bfnrt`), text[1]) >= 0:
		return 2
	case len(text) >= 6 && text[1] == 'u' && isHex(bytes.ToLower(text[2:6]), 4):
		return 6
	default:
		return 0
	}
}

// Skips true, false, null, or a number.
func skipWord(text []byte) ([]byte, bool) {
	for _, word := range [...]string{"true", "false", "null"} {
		if rest, isThere := bytes.CutPrefix(text, []byte(word)); isThere {
			return rest, true
		}
	}
	rest := bytes.TrimPrefix(text, []byte("-"))
	whole, rest := cutDigits(rest)
	if !isDecimal(whole) {
		return nil, false
	}
	if len(rest) > 0 && rest[0] == '.' {
		var fraction []byte
		if fraction, rest = cutDigits(rest[1:]); len(fraction) == 0 {
			return nil, false
		}
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		var exponent []byte
		if exponent, rest = cutDigits(rest); len(exponent) == 0 {
			return nil, false
		}
	}
	return rest, true
}

func cutDigits(text []byte) (digits, rest []byte) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	return text[:end], text[end:]
}

func skipSpace(text []byte) []byte {
	for len(text) > 0 && bytes.IndexByte([]byte(" \t\n\r"), text[0]) >= 0 {
		text = text[1:]
	}
	return text
}
