package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// An approval of an artefact of the goal A, by a key that is made here.
type approval struct {
	statement, namespace, payload, actor, place string
	isUnsigned                                  bool
	private                                     ed25519.PrivateKey
}

const reviewID = "44444444-4444-4444-8444-444444444444"

func newApproval(private ed25519.PrivateKey) approval {
	return approval{
		statement: `{"sett_statement":"1","act":"approve","meaning":"approval","instance":"shop","id":"` + reviewID +
			`","goal":"` + goalA + `","claim":"","artefact":"","content":"","commit":"","for":"owner",` +
			`"reason":"","name":"Ada <ada@example.org>","principal":"ada@example.org","at":"2026-11-21T01:40:00.000Z"}`,
		namespace: statementNamespace, payload: "{}", actor: "person:Ada <ada@example.org>",
		place: "1795225200000-0", private: private,
	}
}

// The text that `ssh-keygen -Y sign` makes.
func (a approval) signature() string {
	signer, _ := ssh.NewSignerFromSigner(a.private)
	parts := sshSignature{signer.PublicKey().Marshal(), []byte(a.namespace), nil, []byte("sha512"), nil}
	signed, _ := signer.Sign(nil, parts.signed(a.statement))
	blob := []byte(sshsigMagic + "\x00\x00\x00\x01")
	for _, part := range [][]byte{parts.key, parts.namespace, nil, parts.hash, ssh.Marshal(signed)} {
		blob = append(blob, ssh.Marshal(struct{ Part []byte }{part})...)
	}
	lines := ""
	for text := base64.StdEncoding.EncodeToString(blob); text != ""; text = text[min(70, len(text)):] {
		lines += text[:min(70, len(text))] + "\n"
	}
	return "-----BEGIN SSH SIGNATURE-----\n" + lines + "-----END SSH SIGNATURE-----\n"
}

func (a approval) problems(t *testing.T, signers string) []string {
	metadata := "{}"
	if !a.isUnsigned {
		metadata = `{"statement":` + jsonText(a.statement) + `,"signature":` + jsonText(a.signature()) + `}`
	}
	content := "{"
	for _, name := range artefactFields {
		value := map[string]string{
			"id": reviewID, "structural_type": "Review", "type": "Review", "payload": a.payload,
			"source_artefacts": "[]", "produced_by_agent": "owner", "goal_id": goalA, "metadata": metadata,
		}[name]
		content += jsonText(name) + ":" + jsonText(value) + ","
	}
	content = strings.TrimSuffix(content, ",") + "}"
	m := newMaker(t)
	m.contents["artefacts/"+reviewID+".json"] = content
	m.event(a.place, "artefact_created", fmt.Sprintf(`{"actor":%s,"goal_id":"%s","artefact_id":"%s","data":{"sha256":"%s"}}`,
		jsonText(a.actor), goalA, reviewID, hexOf(content)))
	read, err := readSigners(signers)
	must(t, err)
	archive := pack(t, m.bundle(goalA))
	found, err := verify(bytes.NewReader(archive), int64(len(archive)), m.key, &signing{read, true}, nil, outsideTrust{})
	must(t, err)
	if len(found.problems) == 0 && found.acts.Signed != 1 {
		t.Error("no act was found")
	}
	return problemsOf(found)
}

func TestActsAreSigned(t *testing.T) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public, err := ssh.NewPublicKey(private.Public())
	must(t, err)
	line := func(options string) string {
		return "ada@example.org " + options + " " + string(ssh.MarshalAuthorizedKey(public))
	}
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	for _, example := range []struct {
		expected, signers string
		change            func(a *approval)
	}{
		{"", line(""), func(*approval) {}},
		{"unsigned", line(""), func(a *approval) { a.isUnsigned = true }},
		{"statement", line(""), func(a *approval) { a.payload = `{"reason":"No"}` }},
		{"statement", line(""), func(a *approval) { a.statement = strings.Replace(a.statement, "shop", "shed", 1) }},
		{"statement", line(""), func(a *approval) { a.actor = "person:Eve <ada@example.org>" }},
		{"statement", line(""), func(a *approval) { a.place = "1795311600001-0" }},
		{"namespace", line(""), func(a *approval) { a.namespace = "git" }},
		{"signer", line(""), func(a *approval) { a.private = other }},
		{"signer", line(`namespaces="git"`), func(*approval) {}},
		{"validity", line(`valid-before="20261121013959Z"`), func(*approval) {}},
		{"", line(`valid-before="20261121014000Z"`), func(*approval) {}},
	} {
		made := newApproval(private)
		example.change(&made)
		expected := ""
		if example.expected != "" {
			expected = example.expected + " artefacts/" + reviewID + ".json"
		}
		if named := strings.Join(made.problems(t, example.signers), " "); named != expected {
			t.Errorf("%q instead of %q", named, expected)
		}
	}
}
