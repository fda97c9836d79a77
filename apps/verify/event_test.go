package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	digest := hexOf("")
	for text, expected := range map[string]event{
		`{}`:                          {},
		``:                            {},
		`[]`:                          {},
		`{"goal_id":"` + goalA + `"}`: {goal: goalA},
		" {\t\"goal_id\"\r\n:\"" + goalA + "\"} ":                                                 {goal: goalA},
		`{"goal_id":"` + goalA + `"} x`:                                                           {},
		`{"goal_id":"` + goalA + `",}`:                                                            {},
		`{"goal_id":"` + goalA + `"`:                                                              {},
		`{"goal_id":"` + goalA + `","a":[1,]}`:                                                    {},
		`{"goal_id":"` + goalA + `","a":01}`:                                                      {},
		`{"goal_id":"` + goalA + `","a":1e999}`:                                                   {goal: goalA},
		`{"goal_id":"` + goalA + `","a":"\ud800"}`:                                                {goal: goalA},
		`{"goal_id":"` + goalA + `","a":"\x"}`:                                                    {},
		`{"goal_id":"` + strings.ToUpper(strings.Replace(goalA, "1", "a", 1)) + `"}`:              {},
		`{"GOAL_ID":"` + goalA + `"}`:                                                             {},
		`{"goal_id":["` + goalA + `"]}`:                                                           {},
		`{"a":{"goal_id":"` + goalA + `"}}`:                                                       {},
		`{"\u0067oal_id":"\u0031` + goalA[1:] + `"}`:                                              {goal: goalA},
		`{"goal_id":"` + goalB + `","goal_id":"` + goalA + `"}`:                                   {goal: goalA},
		`{"goal_id":"` + goalB + `","goal_id":1}`:                                                 {},
		`{"artefact_id":"` + goalA + `","sha256":"` + digest + `"}`:                               {artefactID: goalA},
		`{"data":{"sha256":"` + digest + `","a":{}},"data2":[{}]}`:                                {artefactDigest: digest},
		`{"data":"{\"sha256\":\"` + digest + `\"}"}`:                                              {},
		`{"data":{"sha256":"` + digest + `"},"data":{}}`:                                          {},
		`{"data":{"registry":"` + digest + `","policy":"x","paths":"` + digest[:63] + `f` + `"}}`: {facts: []string{digest, digest[:63] + "f"}},
	} {
		said := readEvent([]byte(text))
		if said.goal != expected.goal || said.artefactID != expected.artefactID || said.artefactDigest != expected.artefactDigest ||
			strings.Join(said.facts, " ") != strings.Join(expected.facts, " ") {
			t.Errorf("%s says %+v", text, said)
		}
	}
}

// An event is an object for us where it is one for the standard library, which has a limit of depth
// that the library's users know nothing of.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		`{"goal_id":"` + goalA + `","data":{"sha256":"x"}}`, `{"a":[{},[],"",-1.5e+7,true,false,null]}`, `{"a":[1 , {"b" : 2}]}`,
		`{"a":"\u00e4\n"}`, `{"a":1.}`, `{"":{"":[[[]]]}}`, `{,}`, `{"a":[}`, `{"a":{"b"}}`, `{"a" "b"}`, `[{"a":1}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "{")+strings.Count(text, "[") > 5000 || strings.ToValidUTF8(text, "") != text {
			return
		}
		var read map[string]json.RawMessage
		isObject := json.Unmarshal([]byte(text), &read) == nil && read != nil
		members, isOurs := membersOf([]byte(text), "goal_id", "a", "")
		if isObject != isOurs {
			t.Fatalf("%q: %v, for the standard library %v", text, isOurs, isObject)
		}
		if !isObject {
			return
		}
		for name, value := range members {
			if string(read[name]) != string(value) {
				t.Fatalf("%q: %q is %q", text, name, value)
			}
		}
	})
}
