package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	attestationKeyName  = "attestation-key"
	attestationKeyStart = "sett/1 attestations "
	maxAttestationBytes = 16_777_216

	payloadType   = "application/vnd.in-toto+json"
	beforePayload = `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{}},"dsseEnvelope":{"payload":"`
	beforeSig     = `","payloadType":"` + payloadType + `","signatures":[{"sig":"`
	afterSig      = "\"}]}}\n"
)

// The id of the artefact that a file of this name attests.
func attestedID(name string) (string, bool) {
	id, isOne := between(name, "attestations/", ".sigstore.json")
	return id, isOne && isUUID([]byte(id))
}

func (b *bundle) checkAttestations() error {
	key, isShown, err := b.readAttestationKey()
	if err != nil || b.steps == nil {
		return err
	}
	for name, file := range b.files {
		id, isOne := attestedID(name)
		if !isOne {
			continue
		}
		file.isNamed = true
		b.attested++
		statement, commit, err := b.statementOf(id)
		if err != nil {
			return err
		}
		if object := b.files[commitName(commit)]; object != nil {
			object.isNamed = true
		}
		var said attestation
		isForm := false
		if file.content.Size() <= maxAttestationBytes {
			content, err := file.all()
			if err != nil {
				return err
			}
			said, isForm = parseAttestation(content)
		}
		switch {
		case !isForm:
			b.add(attestationCode, name, 0, "it is no attestation of this form")
		case commit == "":
			b.add(attestationCode, name, 0, "nothing on record has delivered a commit as this artefact")
		case statement == "":
			b.add(attestationCode, commitName(commit), 0, "it is not there, or is another commit")
		case said.payload != statement:
			b.add(attestationCode, name, 0, "its payload is not what the record says")
		case isShown && !said.isSignedBy(key):
			b.add(attestationCode, name, 0, "the key of attestations has not signed it")
		}
	}
	return nil
}

func (b *bundle) readAttestationKey() (key *ecdsa.PublicKey, isShown bool, err error) {
	if b.files[attestationKeyName] == nil {
		if b.steps != nil {
			b.add(missing, attestationKeyName, 0, "it is not there, and attestations are")
		}
		return nil, false, nil
	}
	text, isSigned, err := b.readNote(attestationKeyName)
	if !isSigned || err != nil {
		return nil, false, err
	}
	if key, isShown = parseAttestationKey(text); !isShown {
		b.add(malformed, attestationKeyName, 0, "it is not the line with a key of attestations")
	}
	return key, isShown, nil
}

func parseAttestationKey(text string) (*ecdsa.PublicKey, bool) {
	written, isOne := between(text, attestationKeyStart, "\n")
	der, isBase64 := fromBase64(written)
	if !isOne || !isBase64 {
		return nil, false
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	key, isECDSA := parsed.(*ecdsa.PublicKey)
	if err != nil || !isECDSA || key.Curve != elliptic.P256() {
		return nil, false
	}
	again, err := x509.MarshalPKIXPublicKey(key)
	return key, err == nil && bytes.Equal(again, der)
}

// Base64 is written in one way only.
func fromBase64(text string) ([]byte, bool) {
	read, err := base64.StdEncoding.Strict().DecodeString(text)
	return read, err == nil && base64.StdEncoding.EncodeToString(read) == text
}

type attestation struct {
	payload   string
	signature []byte
}

func parseAttestation(content []byte) (attestation, bool) {
	rest, isBegun := strings.CutPrefix(string(content), beforePayload)
	payload, rest, isMiddle := strings.Cut(rest, beforeSig)
	sig, isEnded := strings.CutSuffix(rest, afterSig)
	said, isSaid := fromBase64(payload)
	signature, isSignature := fromBase64(sig)
	isForm := isBegun && isMiddle && isEnded && isSaid && isSignature && utf8.Valid(said)
	return attestation{string(said), signature}, isForm
}

func (a attestation) isSignedBy(key *ecdsa.PublicKey) bool {
	signed := sha256.Sum256(fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(a.payload), a.payload))
	return ecdsa.VerifyASN1(key, signed[:], a.signature)
}

func commitName(commit string) string { return "commits/" + commit }

// The tree of a commit whose bytes are these; empty where they are those of another object.
func treeIn(object []byte, commit string) string {
	all := fmt.Appendf(nil, "commit %d\x00%s", len(object), object)
	hash := sha256.Sum256(all)
	digest := hash[:]
	if len(commit) == 2*sha1.Size {
		short := sha1.Sum(all)
		digest = short[:]
	}
	line, _, isLine := bytes.Cut(object, []byte{'\n'})
	tree, isTree := bytes.CutPrefix(line, []byte("tree "))
	if hex.EncodeToString(digest) != commit || !isLine || !isTree || !isHex(tree, len(commit)) {
		return ""
	}
	return string(tree)
}
