package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

// The key of a witness, as a policy has it.
func witnessKey(name string, seed byte) string {
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	material := append([]byte{cosigning}, private.Public().(ed25519.PublicKey)...)
	id := sha256.Sum256(append([]byte(name+"\n"), material...))
	return fmt.Sprintf("%s+%x+%s", name, id[:4], base64.StdEncoding.EncodeToString(material))
}

func TestAPolicyAsksForItsQuorum(t *testing.T) {
	var known strings.Builder
	for at, name := range []string{"one", "two", "three"} {
		fmt.Fprintf(&known, "witness %d %s\n", at+1, witnessKey(name, byte('a'+at)))
	}
	for rest, enough := range map[string]map[string]bool{
		"quorum 2\n":                                       {"2": true, "13": false},
		"# none\n\nquorum none":                            {"": true},
		"group g any 1 2\nquorum g\n":                      {"1": true, "3": false},
		"group g all 1 2\nquorum g\n":                      {"12": true, "13": false},
		"group g 2 1 2 3\nquorum g\n":                      {"13": true, "3": false},
		"group a any 1 2\n\tgroup b all  a 3 \nquorum b\n": {"23": true, "12": false},
	} {
		read, err := readPolicy([]byte(known.String() + rest))
		if err != nil {
			t.Fatalf("%q: %s", rest, err)
		}
		for digits, isEnough := range enough {
			names := map[string]bool{}
			for _, digit := range digits {
				names[string(digit)] = true
			}
			if read.isEnough(names) != isEnough {
				t.Errorf("%q: %q should be %t", rest, digits, isEnough)
			}
		}
	}
}

func TestAPolicyOfAnotherFormIsRefused(t *testing.T) {
	one := "witness 1 " + witnessKey("one", 'a') + "\n"
	for _, text := range []string{
		"", one, "quorum x\n", "quorum none\nquorum none\n", "log " + witnessKey("one", 'a') + "\nquorum none\n",
		one + "witness 2 " + witnessKey("two", 'a') + "\nquorum none\n", one + one + "quorum none\n",
		"group none any 1\nquorum none\n", "group g any\nquorum none\n", "group g any 1\nquorum none\n",
		one + "group g any 1 1\nquorum none\n", one + "group g 2 1\nquorum none\n",
		one + "group g 0 1\nquorum none\n", one + "group g 01 1\nquorum none\n",
		"quorum none\r\n", "Log x\nquorum none\n", "# \xff\nquorum none\n",
	} {
		if _, err := readPolicy([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestATimeIsReadInItsOneForm(t *testing.T) {
	for text, want := range map[string]string{
		"20261130120000Z":             "2026-11-30T12:00:00Z",
		"20261130120000.25Z":          "2026-11-30T12:00:00.25Z",
		"20261130120000.123456Z":      "2026-11-30T12:00:00.123Z",
		"20261130120000":              "",
		"20261130120000.Z":            "",
		"20261130120000+0100":         "",
		"20261131120000Z":             "",
		"202611301200Z":               "",
		"20261130120000.12345678912Z": "",
	} {
		at, isTime := timeIn(text)
		if isTime != (want != "") || isTime && at.Format(time.RFC3339Nano) != want {
			t.Errorf("%s was read as %s, %t", text, at, isTime)
		}
	}
}
