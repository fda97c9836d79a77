package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// A larger file of signers is refused.
const maxSignersBytes = 1 << 20

// One line of a file of signers. Times are seconds, and nil where the line does not say one.
type allowedSigner struct {
	principals, namespaces []string
	isForAll               bool
	after, before          *int64
	key                    []byte
}

var (
	namesForm   = regexp.MustCompile(`(?s)^([^ \t]+)[ \t]+(.*)$`)
	optionsForm = regexp.MustCompile(`(?s)^((?:[^" \t]|"[^"]*")+)[ \t]+(.*)$`)
	optionForm  = regexp.MustCompile(`(?s)^([^",= \t]+)(?:="([^"]*)")?(?:,|$)`)
	keyForm     = regexp.MustCompile(`(?s)^((?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]*)[ \t]+([A-Za-z0-9+/=]+)(?:[ \t].*)?$`)
	timeForm    = regexp.MustCompile(`^[0-9]{8}(?:[0-9]{4}(?:[0-9]{2})?)?Z$`)
)

var keyTypes = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoRSA, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384,
	ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256,
}

// The error names the line.
func readSigners(content string) ([]allowedSigner, error) {
	if len(content) > maxSignersBytes {
		return nil, fmt.Errorf("it has more than 1 MiB")
	}
	var signers []allowedSigner
	for at, line := range strings.Split(content, "\n") {
		line = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		read, problem := readSigner(line)
		if problem != "" {
			return nil, fmt.Errorf("line %d %s", at+1, problem)
		}
		signers = append(signers, read)
	}
	if len(signers) == 0 {
		return nil, fmt.Errorf("it names no signer")
	}
	return signers, nil
}

func readSigner(line string) (allowedSigner, string) {
	words := namesForm.FindStringSubmatch(line)
	if words == nil {
		return allowedSigner{}, "has no key"
	}
	names, rest := words[1], words[2]
	if strings.ContainsAny(names, `*?!"`) {
		return allowedSigner{}, "has a pattern or quotation marks in its names"
	}
	read := allowedSigner{principals: strings.Split(names, ","), isForAll: true}
	if slices.Contains(read.principals, "") {
		return allowedSigner{}, "has an empty name"
	}
	if key, isKey, problem := readKeyOfLine(rest); isKey {
		read.key = key
		return read, problem
	}
	words = optionsForm.FindStringSubmatch(rest)
	if words == nil {
		return allowedSigner{}, "has no key"
	}
	if problem := read.readOptions(words[1]); problem != "" {
		return allowedSigner{}, problem
	}
	key, isKey, problem := readKeyOfLine(words[2])
	if !isKey {
		return allowedSigner{}, "has no key"
	}
	read.key = key
	return read, problem
}

// `isKey`: the text begins with a type of a key.
func readKeyOfLine(text string) (blob []byte, isKey bool, problem string) {
	words := keyForm.FindStringSubmatch(text)
	if words == nil {
		return nil, false, ""
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(words[2])
	if err != nil {
		return nil, true, "has a key that is no base64"
	}
	key := readKeyBlob(blob)
	if key == nil || key.Type() != words[1] {
		return nil, true, "has no key that is taken"
	}
	return blob, true, ""
}

// Nil where it is no key of those that the page names.
func readKeyBlob(blob []byte) ssh.PublicKey {
	key, err := ssh.ParsePublicKey(blob)
	if err != nil || !slices.Contains(keyTypes, key.Type()) {
		return nil
	}
	if key.Type() == ssh.KeyAlgoRSA && !isRSA(blob) {
		return nil
	}
	return key
}

// It has 2048 bits or more, and its numbers are written in one way only.
func isRSA(blob []byte) bool {
	_, rest, _ := cutString(blob)
	exponent, rest, _ := cutString(rest)
	modulus, _, _ := cutString(rest)
	digits, isNumber := digitsOf(modulus)
	_, isExponent := digitsOf(exponent)
	return isNumber && isExponent && (len(digits) > 256 || len(digits) == 256 && digits[0] > 0x7f)
}

func (s *allowedSigner) readOptions(text string) string {
	seen := map[string]bool{}
	for text != "" {
		words := optionForm.FindStringSubmatch(text)
		if words == nil {
			return "has options that cannot be read"
		}
		text = text[len(words[0]):]
		name, value := words[1], words[2]
		isNamed := strings.HasPrefix(words[0], name+"=")
		if seen[name] {
			return "has an option twice: " + name
		}
		seen[name] = true
		switch name {
		case "namespaces":
			if !isNamed || strings.ContainsAny(value, "*?!") {
				return "has a pattern in namespaces"
			}
			s.namespaces, s.isForAll = strings.Split(value, ","), false
		case "valid-after", "valid-before":
			at, isTime := readTime(value)
			if !isTime {
				return "has no time in UTC after " + name
			}
			if name == "valid-after" {
				s.after = &at
			} else {
				s.before = &at
			}
		default:
			return "has an option that is not taken: " + quoted(name)
		}
	}
	if s.after != nil && s.before != nil && *s.after >= *s.before {
		return "ends before it begins"
	}
	return ""
}

// Seconds since 1970.
func readTime(text string) (int64, bool) {
	if !timeForm.MatchString(text) {
		return 0, false
	}
	const layout = "20060102150405"
	digits := strings.TrimSuffix(text, "Z")
	digits += "000000"[:len(layout)-len(digits)]
	at, err := time.Parse(layout, digits)
	return at.Unix(), err == nil
}

func (s *allowedSigner) isOf(principal string, key []byte) bool {
	return bytes.Equal(s.key, key) && slices.Contains(s.principals, principal) &&
		(s.isForAll || slices.Contains(s.namespaces, statementNamespace))
}

func (s *allowedSigner) isValid(second int64) bool {
	return (s.after == nil || *s.after <= second) && (s.before == nil || second <= *s.before)
}

// Reads 4 bytes of length, and as many bytes.
func cutString(bytes []byte) (text, rest []byte, isThere bool) {
	if len(bytes) < 4 {
		return nil, nil, false
	}
	length := binary.BigEndian.Uint32(bytes)
	if uint64(len(bytes)-4) < uint64(length) {
		return nil, nil, false
	}
	return bytes[4 : 4+length], bytes[4+length:], true
}

// The digits of a positive number, without the zero that shows that it is positive.
func digitsOf(number []byte) (digits []byte, isNumber bool) {
	switch {
	case len(number) == 0 || number[0] > 0x7f:
		return nil, false
	case number[0] != 0:
		return number, true
	case len(number) == 1 || number[1] <= 0x7f:
		return nil, false
	default:
		return number[1:], true
	}
}
