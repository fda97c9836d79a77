package main

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

func TestTheProgram(t *testing.T) {
	m := newMaker(t).fill()
	key, err := note.NewEd25519VerifierKey(m.key.Name(), m.signer.(signer).private.Public().(ed25519.PublicKey))
	must(t, err)
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, content, 0o600))
		return path
	}
	damaged := m.bundle(goalA)
	delete(damaged, artefactA)
	whole, broken := write("whole", pack(t, m.bundle(goalA))), write("broken", pack(t, damaged))
	hostile := write("hostile", append(entryOf(nil, "a\x1b[2J\n\xff", ""), make([]byte, 2*blockBytes)...))
	keyFile := write("key", []byte(key+"\n"))
	huge := write("huge", nil)
	must(t, os.Truncate(huge, maxBytes+1))
	const named = "artefact " + artefactA + ": an event names it, and it is not there.\n"
	for _, example := range []struct {
		args     string
		exitCode int
		out      string
	}{
		{whole + " --key " + key, 0, "Shown: 4 entries, all entries of the goal " + goalA + " in the log " + m.key.Name() + " of size 10.\n"},
		{"--key=" + keyFile + " --json " + whole, 0, `{"shown":true,"goal":"` + goalA + `","size":10,"entries":4,"problems":[]}` + "\n"},
		{broken + " --key " + keyFile, 1, named},
		{broken + " --json --key " + keyFile, 1, `{"shown":false,"goal":"` + goalA + `","size":10,"entries":4,"problems":[{"code":"artefact","place":"` +
			artefactA + `","text":"an event names it, and it is not there."}]}` + "\n"},
		{keyFile + " --key " + key, 1, "unreadable -: the archive ends too early.\n"},
		{huge + " --key " + key, 1, "unreadable -: the file has more than 2 GiB.\n"},
		{hostile + " --key " + key, 1, "unreadable -: a name of a file has other characters than those of ASCII.\n"},
		{keyFile + " " + broken + " --key " + key, 1, keyFile + ":\nunreadable -: the archive ends too early.\n" + broken + ":\n" + named},
		{"--help", 0, usage},
		{"", 2, ""},
		{whole, 2, ""},
		{whole + " --key", 2, ""},
		{whole + " --key " + key + "x", 2, ""},
		{whole + " --key " + whole, 2, ""},
		{whole + " --key " + huge, 2, ""},
		{whole + " --key " + key + " --key " + key, 2, ""},
		{whole + " --key " + key + " --jsn", 2, ""},
		{whole + " --signers " + whole + " --key " + key, 2, ""},
		{whole + " --signers", 2, ""},
		{whole + " --require signatures --key " + key, 2, ""},
		{whole + " --require all --signers " + whole + " --key " + key, 2, ""},
		{folder + " --key " + key, 2, ""},
		{whole + "x --key " + key, 2, ""},
	} {
		var out, messages bytes.Buffer
		exitCode := run(strings.Fields(example.args), &out, &messages)
		if exitCode != example.exitCode || exitCode == 2 == (messages.Len() == 0) {
			t.Errorf("%s: exit code %d, %s", example.args, exitCode, &messages)
		}
		if said := out.String(); said != example.out {
			t.Errorf("%s: says %s", example.args, &out)
		}
	}
}
