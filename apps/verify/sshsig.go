package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strings"

	"golang.org/x/crypto/ssh"
)

const maxSignatureText = 16_384

var armour = regexp.MustCompile(`^-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]{1,76}\n)+)-----END SSH SIGNATURE-----\n?$`)

const sshsigMagic = "SSHSIG"

// `key`: by which it says that it was made.
type sshSignature struct {
	key, namespace, reserved, hash, signature []byte
}

func parseSSHSignature(text string) (sshSignature, bool) {
	if len(text) > maxSignatureText {
		return sshSignature{}, false
	}
	found := armour.FindStringSubmatch(text)
	if found == nil {
		return sshSignature{}, false
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(strings.ReplaceAll(found[1], "\n", ""))
	if err != nil {
		return sshSignature{}, false
	}
	rest, isMagic := bytes.CutPrefix(blob, []byte(sshsigMagic+"\x00\x00\x00\x01"))
	if !isMagic {
		return sshSignature{}, false
	}
	var read sshSignature
	for _, into := range [...]*[]byte{&read.key, &read.namespace, &read.reserved, &read.hash, &read.signature} {
		var isThere bool
		if *into, rest, isThere = cutString(rest); !isThere {
			return sshSignature{}, false
		}
	}
	isHash := string(read.hash) == "sha256" || string(read.hash) == "sha512"
	return read, isHash && len(rest) == 0
}

func (s sshSignature) isOf(content string) bool {
	key := readKeyBlob(s.key)
	if key == nil {
		return false
	}
	signature, isSignature := s.inner(key.Type())
	return isSignature && key.Verify(s.signed(content), signature) == nil
}

// The key signs it in the place of the content.
func (s sshSignature) signed(content string) []byte {
	digest := sha256.Sum256([]byte(content))
	sum := digest[:]
	if string(s.hash) == "sha512" {
		long := sha512.Sum512([]byte(content))
		sum = long[:]
	}
	signed := []byte(sshsigMagic)
	for _, part := range [...][]byte{s.namespace, s.reserved, s.hash, sum} {
		signed = binary.BigEndian.AppendUint32(signed, uint32(len(part)))
		signed = append(signed, part...)
	}
	return signed
}

// The signature of a key of this type, and nothing behind it.
func (s sshSignature) inner(kind string) (*ssh.Signature, bool) {
	algorithm, rest, isThere := cutString(s.signature)
	if !isThere {
		return nil, false
	}
	blob, rest, isThere := cutString(rest)
	if !isThere {
		return nil, false
	}
	read := &ssh.Signature{Format: string(algorithm), Blob: blob, Rest: rest}
	isOnDevice := strings.HasPrefix(kind, "sk-")
	switch {
	case isOnDevice && (len(rest) != 5 || rest[0]&1 == 0), !isOnDevice && len(rest) != 0:
		return nil, false
	case kind == ssh.KeyAlgoRSA:
		return read, read.Format == ssh.KeyAlgoRSASHA256 || read.Format == ssh.KeyAlgoRSASHA512
	case strings.Contains(kind, "ecdsa"):
		return read, read.Format == kind && isPair(blob)
	default:
		return read, read.Format == kind
	}
}

// Two positive numbers.
func isPair(blob []byte) bool {
	r, rest, isThere := cutString(blob)
	if !isThere {
		return false
	}
	s, rest, isThere := cutString(rest)
	_, isFirst := digitsOf(r)
	_, isSecond := digitsOf(s)
	return isThere && isFirst && isSecond && len(rest) == 0
}
