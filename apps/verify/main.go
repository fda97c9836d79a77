// Sett-verify says whether a bundle of `sett audit export` shows what it says, without Sett: it was
// written from docs/reference/proof.md alone.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const usage = `Usage: sett-verify FILE... --key VKEY|FILE [--signers FILE] [--tsa FILE] [--policy FILE]
                   [--require WORDS] [--receipt FILE]... [--json]

Says whether bundles of ` + "`sett audit export`" + ` show what they say.

  FILE    a bundle
  --key   the verifier key of the log, or a file with it. ` + "`sett audit key`" + ` prints it; take it
          from a person whom you trust, and not from the bundle
  --signers
          a file allowed_signers of OpenSSH: whose keys sign for whom. What people have signed is
          then checked
  --tsa   a file with certificates (PEM) of authorities that stamp the time: their time stamps are
          then checked
  --policy
          which witnesses are trusted, and how many of them must have seen the log, as
          c2sp.org/tlog-policy has it. It may name the log, in the place of --key
  --require
          words with commas between them. signatures: each verdict, answer and goal of a person must
          be signed. tsa, witness: a time stamp, or enough witnesses, must be about all of the goal
  --receipt
          a receipt of one act, as ` + "`sett approve --receipt`" + ` keeps it: the bundle must have it
  --json  print one JSON object for each bundle, in a line

Exit code: 0 all is shown, 1 it is not, 2 wrong use.
`

const (
	exitShown    = 0
	exitNotShown = 1
	exitWrongUse = 2
)

// A larger bundle is refused.
const maxBytes = 2 << 30

// A longer one is not the file of a key.
const maxKeyBytes = 64 << 10

type options struct {
	files                 []string
	key, signers, require string
	tsa, policy           string
	receipts              []string
	isJSON, isHelp        bool
}

func (o options) requires(word string) bool {
	return slices.Contains(strings.Split(o.require, ","), word)
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, messages io.Writer) int {
	options, err := readOptions(args)
	if err == nil && options.isHelp {
		fmt.Fprint(out, usage)
		return exitShown
	}
	var key note.Verifier
	if err == nil && options.key != "" {
		key, err = readKey(options.key)
	}
	var outside outsideTrust
	if err == nil {
		outside, err = readOutside(options)
	}
	if err == nil && key == nil && len(outside.policy.logs) == 0 {
		err = errors.New("The policy names no log: name the key of the log with --key.")
	}
	var trusted *signing
	if err == nil && options.signers != "" {
		trusted, err = readSigning(options)
	}
	var receipts [][]byte
	for _, path := range options.receipts {
		var content []byte
		if err == nil {
			content, err = readReceipt(path)
		}
		receipts = append(receipts, content)
	}
	exitCode := exitShown
	for _, path := range options.files {
		var found report
		if err == nil {
			found, err = verifyFile(path, key, trusted, receipts, outside)
		}
		if err != nil {
			break
		}
		if len(found.problems) > 0 {
			exitCode = exitNotShown
		}
		if err := found.print(out, path, options); err != nil {
			fmt.Fprintf(messages, "The result could not be written: %s.\n", err)
			return exitNotShown
		}
	}
	if err != nil {
		fmt.Fprintf(messages, "%s\nSee `sett-verify --help`.\n", err)
		return exitWrongUse
	}
	return exitCode
}

// Of several bundles, each has a line with the name of its file before it.
func (r *report) print(out io.Writer, path string, options options) error {
	if options.isJSON {
		return json.NewEncoder(out).Encode(r.toJSON())
	}
	if len(options.files) > 1 {
		fmt.Fprintf(out, "%s:\n", quoted(path))
	}
	return r.write(out)
}

func verifyFile(path string, key note.Verifier, signing *signing, receipts [][]byte, outside outsideTrust) (report, error) {
	opened, err := os.Open(path)
	if err != nil {
		return report{}, fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
	}
	defer opened.Close()
	about, err := opened.Stat()
	if err != nil {
		return report{}, fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
	}
	var archive io.ReaderAt = opened
	length := about.Size()
	if !about.Mode().IsRegular() {
		// A pipe is read into memory, since no reader can go back in it.
		content, err := io.ReadAll(io.LimitReader(opened, maxBytes+1))
		if err != nil {
			return report{}, fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
		}
		archive, length = bytes.NewReader(content), int64(len(content))
	}
	if length > maxBytes {
		var found report
		found.add(unreadable, "", 0, "the file has more than 2 GiB")
		return found, nil
	}
	found, err := verify(archive, length, key, signing, receipts, outside)
	if err != nil {
		return report{}, fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
	}
	return found, nil
}

func readOptions(args []string) (options, error) {
	var read options
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--help" || arg == "-h":
			return options{isHelp: true}, nil
		case arg == "--json":
			read.isJSON = true
			continue
		}
		name, value, isWhole := strings.Cut(arg, "=")
		var into *string
		var receipt string
		switch name {
		case "--receipt":
			into = &receipt
		case "--key":
			into = &read.key
		case "--signers":
			into = &read.signers
		case "--tsa":
			into = &read.tsa
		case "--policy":
			into = &read.policy
		case "--require":
			into = &read.require
		}
		switch {
		case into == nil && strings.HasPrefix(arg, "-"):
			return read, fmt.Errorf("There is no option %s.", quoted(arg))
		case into == nil:
			read.files = append(read.files, arg)
			continue
		case !isWhole && len(args) == 0:
			return read, fmt.Errorf("The option %s needs a value.", name)
		case !isWhole:
			value, args = args[0], args[1:]
		}
		if *into != "" {
			return read, fmt.Errorf("The option %s is there twice.", name)
		}
		*into = value
		if into == &receipt {
			read.receipts = append(read.receipts, receipt)
		}
	}
	if len(read.files) == 0 {
		return read, errors.New("Which bundle?")
	}
	if read.key == "" && read.policy == "" {
		return read, errors.New("A bundle does not vouch for itself: name the key of its log with --key.")
	}
	for word := range strings.SplitSeq(read.require, ",") {
		if read.require != "" && !slices.Contains([]string{"signatures", "tsa", "witness"}, word) {
			return read, fmt.Errorf("The option --require takes `signatures`, `tsa` and `witness`, and not %s.", quoted(word))
		}
	}
	switch {
	case read.requires("signatures") && read.signers == "":
		return read, errors.New("Signatures of whom? Name the file of signers with --signers.")
	case read.requires("tsa") && read.tsa == "":
		return read, errors.New("Time stamps of whom? Name the file of certificates with --tsa.")
	case read.requires("witness") && read.policy == "":
		return read, errors.New("Which witnesses? Name the file that says so with --policy.")
	}
	return read, nil
}

func readOutside(options options) (read outsideTrust, err error) {
	read.isTSA, read.areWitness = options.requires("tsa"), options.requires("witness")
	if options.tsa != "" {
		if read.roots, err = readAuthorities(options.tsa); err != nil {
			return read, err
		}
	}
	if options.policy != "" {
		read.policy, err = readPolicyFile(options.policy)
	}
	return read, err
}

func readSigning(options options) (*signing, error) {
	content, err := os.ReadFile(options.signers)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w.", quoted(options.signers), err)
	}
	signers, err := readSigners(string(content))
	if err != nil {
		return nil, fmt.Errorf("In %s, %w.", quoted(options.signers), err)
	}
	return &signing{signers, options.requires("signatures")}, nil
}

// A file that is too large is no receipt, as the result says.
func readReceipt(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("The receipt %s cannot be read: %w.", quoted(path), err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxNoteBytes+1))
	if err != nil {
		return nil, fmt.Errorf("The receipt %s cannot be read: %w.", quoted(path), err)
	}
	if len(content) > maxNoteBytes {
		return nil, nil
	}
	return content, nil
}

// A key is text with two `+`; all else is the name of a file.
func readKey(text string) (note.Verifier, error) {
	if key, err := note.NewVerifier(text); err == nil {
		return logKey{key, text}, nil
	}
	content, err := readKeyFile(text)
	if err != nil {
		return nil, fmt.Errorf("The key is neither a verifier key of signed-note nor a file with one. %w", err)
	}
	content = strings.TrimSpace(content)
	key, err := note.NewVerifier(content)
	if strings.Contains(content, "-----BEGIN") {
		err = errors.New("it is a PEM")
	}
	if err != nil {
		return nil, fmt.Errorf("In %s is no verifier key of signed-note with Ed25519: %w.", quoted(text), err)
	}
	return logKey{key, content}, nil
}

func readKeyFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxKeyBytes+1))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
	}
	if len(content) > maxKeyBytes {
		return "", errors.New("It is too large.")
	}
	return string(content), nil
}
