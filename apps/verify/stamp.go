package main

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" // Names of certificates in older time stamps, and nothing else.
	"crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// A larger one is refused.
const maxStampBytes = 65_536

var (
	errForm   = errors.New("it is no time stamp of RFC 3161")
	errNoRoot = errors.New("the certificate of its signer does not lead to one that is trusted, or was not valid then")
)

// A time stamp, whose signature is right. `others`: certificates for the way to a root.
type stamp struct {
	at     time.Time
	signer *x509.Certificate
	others []*x509.Certificate
}

const (
	tagBoolean  = 0x01
	tagInteger  = 0x02
	tagOctets   = 0x04
	tagTime     = 0x18
	tagSequence = 0x30
	tagSet      = 0x31
	tagged0     = 0xa0
)

var (
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidTimeInfo   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	oidKind       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidDigest     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigner     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	oidSigner2    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	oidSHA256     = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidRSA        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidExtended   = asn1.ObjectIdentifier{2, 5, 29, 37}
)

var hashes = map[string]crypto.Hash{
	oidSHA256.String():       crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

var signatureKinds = map[string]x509.SignatureAlgorithm{
	"1.2.840.113549.1.1.11": x509.SHA256WithRSA,
	"1.2.840.113549.1.1.12": x509.SHA384WithRSA,
	"1.2.840.113549.1.1.13": x509.SHA512WithRSA,
	"1.2.840.10045.4.3.2":   x509.ECDSAWithSHA256,
	"1.2.840.10045.4.3.3":   x509.ECDSAWithSHA384,
	"1.2.840.10045.4.3.4":   x509.ECDSAWithSHA512,
	"1.3.101.112":           x509.PureEd25519,
}

var rsaKinds = map[crypto.Hash]x509.SignatureAlgorithm{
	crypto.SHA256: x509.SHA256WithRSA, crypto.SHA384: x509.SHA384WithRSA, crypto.SHA512: x509.SHA512WithRSA,
}

// The members of an element of a form that is read from the front. The first that is not of the
// form makes all that follow empty, and `isWrong`.
type form struct {
	isWrong bool
}

func (f *form) fail() asn1.RawValue {
	f.isWrong = true
	return asn1.RawValue{}
}

func (f *form) all(content []byte) []asn1.RawValue {
	var found []asn1.RawValue
	for len(content) > 0 && !f.isWrong {
		var one asn1.RawValue
		rest, err := asn1.Unmarshal(content, &one)
		if err != nil || tagOf(one)&0x1f == 0x1f {
			f.fail()
			return nil
		}
		found = append(found, one)
		content = rest
	}
	return found
}

func (f *form) whole(content []byte) asn1.RawValue {
	found := f.all(content)
	if len(found) != 1 {
		return f.fail()
	}
	return found[0]
}

func (f *form) at(all []asn1.RawValue, at int, tag byte) asn1.RawValue {
	if at >= len(all) || tagOf(all[at]) != tag {
		return f.fail()
	}
	return all[at]
}

// The first byte; 0 where there is no element.
func tagOf(one asn1.RawValue) byte {
	if len(one.FullBytes) == 0 {
		return 0
	}
	return one.FullBytes[0]
}

func (f *form) in(one asn1.RawValue, tag byte) []asn1.RawValue {
	if f.isWrong || tagOf(one) != tag {
		f.fail()
		return nil
	}
	return f.all(one.Bytes)
}

// The identifier at the beginning of a sequence.
func (f *form) kind(one asn1.RawValue) asn1.ObjectIdentifier {
	return f.oid(f.in(one, tagSequence))
}

func (f *form) oid(all []asn1.RawValue) asn1.ObjectIdentifier {
	var read asn1.ObjectIdentifier
	if len(all) == 0 {
		f.fail()
	} else if rest, err := asn1.Unmarshal(all[0].FullBytes, &read); err != nil || len(rest) > 0 {
		f.fail()
	}
	return read
}

// The time stamp of a content in the reply of an authority. Its certificate is not trusted yet.
func readStamp(reply, content []byte) (stamp, error) {
	if len(reply) > maxStampBytes {
		return stamp{}, errors.New("it is too large")
	}
	f := &form{}
	top := f.in(f.whole(reply), tagSequence)
	status := f.at(f.in(f.at(top, 0, tagSequence), tagSequence), 0, tagInteger)
	if f.isWrong {
		return stamp{}, errForm
	}
	if len(status.Bytes) == 0 || status.Bytes[0] > 1 {
		return stamp{}, errors.New("the authority has refused it")
	}
	token := f.in(f.at(top, 1, tagSequence), tagSequence)
	if !f.oid(token).Equal(oidSignedData) {
		return stamp{}, errForm
	}
	data := f.in(f.at(f.in(f.at(token, 1, tagged0), tagged0), 0, tagSequence), tagSequence)
	wrapped := f.in(f.at(data, 2, tagSequence), tagSequence)
	if !f.oid(wrapped).Equal(oidTimeInfo) {
		return stamp{}, errForm
	}
	info := f.at(f.in(f.at(wrapped, 1, tagged0), tagged0), 0, tagOctets).Bytes
	if f.isWrong || len(data) < 4 {
		return stamp{}, errForm
	}
	var certificates []*x509.Certificate
	for _, list := range data[3:] {
		if tagOf(list) != tagged0 {
			continue
		}
		for _, one := range f.in(list, tagged0) {
			// One that cannot be read may not be needed.
			if read, err := x509.ParseCertificate(one.FullBytes); err == nil {
				certificates = append(certificates, read)
			}
		}
	}
	signers := f.in(data[len(data)-1], tagSet)
	if f.isWrong || len(signers) != 1 {
		return stamp{}, errForm
	}
	read := stamp{others: certificates}
	if err := read.readInfo(f, info, content); err != nil {
		return stamp{}, err
	}
	return read, read.findSigner(f, signers[0], info)
}

func (s *stamp) readInfo(f *form, info, content []byte) error {
	members := f.in(f.whole(info), tagSequence)
	version := f.at(members, 0, tagInteger)
	imprint := f.in(f.at(members, 2, tagSequence), tagSequence)
	if !bytes.Equal(version.Bytes, []byte{1}) || len(imprint) == 0 || !f.kind(imprint[0]).Equal(oidSHA256) {
		return errForm
	}
	digest := f.at(imprint, 1, tagOctets).Bytes
	written := f.at(members, 4, tagTime)
	var isTime bool
	if s.at, isTime = timeIn(string(written.Bytes)); f.isWrong || !isTime {
		return errForm
	}
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], digest) {
		return errors.New("it is a time stamp of something else")
	}
	return nil
}

// A time has parts of a second or not, of which 9 digits are read.
func timeIn(text string) (time.Time, bool) {
	const whole = "20060102150405"
	digits, isUTC := bytes.CutSuffix([]byte(text), []byte("Z"))
	seconds, part, hasPart := bytes.Cut(digits, []byte("."))
	at, err := time.Parse(whole, string(seconds))
	isPart := !hasPart || len(part) >= 1 && len(part) <= 9 && !slices.ContainsFunc(part, func(digit byte) bool { return digit < '0' || digit > '9' })
	if err != nil || !isUTC || !isPart || len(seconds) != len(whole) {
		return time.Time{}, false
	}
	if hasPart {
		fraction, _ := time.ParseDuration("0." + string(part) + "s")
		at = at.Add(fraction.Truncate(time.Millisecond))
	}
	return at, true
}

func (s *stamp) findSigner(f *form, signed asn1.RawValue, info []byte) error {
	members := f.in(signed, tagSequence)
	if f.isWrong || len(members) < 6 {
		return errForm
	}
	hash, isKnown := hashes[f.kind(members[2]).String()]
	attributes := f.attributes(members[3])
	signature := f.at(members, 5, tagOctets)
	kind := f.kind(members[4])
	if f.isWrong {
		return errForm
	}
	if !isKnown {
		return errors.New("its digest is of a kind that is not taken")
	}
	digest := f.at([]asn1.RawValue{attributes[oidDigest.String()]}, 0, tagOctets)
	ofWhat := f.oid([]asn1.RawValue{attributes[oidKind.String()]})
	if f.isWrong || !ofWhat.Equal(oidTimeInfo) {
		return errForm
	}
	sum := hash.New()
	sum.Write(info)
	if !bytes.Equal(digest.Bytes, sum.Sum(nil)) {
		return errors.New("what is signed is not this time")
	}
	if err := s.findNamed(f, attributes); err != nil {
		return err
	}
	algorithm := signatureKinds[kind.String()]
	if kind.Equal(oidRSA) {
		algorithm = rsaKinds[hash]
	}
	bytesOfSet := append([]byte{tagSet}, members[3].FullBytes[1:]...)
	if s.signer.CheckSignature(algorithm, bytesOfSet, signature.Bytes) != nil {
		return errors.New("its signature is not right")
	}
	return nil
}

// Each attribute may be there once, with one value.
func (f *form) attributes(all asn1.RawValue) map[string]asn1.RawValue {
	found := map[string]asn1.RawValue{}
	for _, one := range f.in(all, tagged0) {
		members := f.in(one, tagSequence)
		values := f.in(f.at(members, 1, tagSet), tagSet)
		id := f.oid(members).String()
		if _, isTwice := found[id]; isTwice || len(values) != 1 {
			f.fail()
			return found
		}
		found[id] = values[0]
	}
	return found
}

// The certificate that the signed attribute names.
func (s *stamp) findNamed(f *form, attributes map[string]asn1.RawValue) error {
	hash := crypto.SHA1
	value, isSecond := attributes[oidSigner2.String()]
	if isSecond {
		hash = crypto.SHA256
	} else {
		value = attributes[oidSigner.String()]
	}
	list := f.in(value, tagSequence)
	first := f.in(f.at(list, 0, tagSequence), tagSequence)
	members := f.in(f.at(first, 0, tagSequence), tagSequence)
	if isSecond && len(members) > 0 && tagOf(members[0]) == tagSequence {
		var isKnown bool
		if hash, isKnown = hashes[f.kind(members[0]).String()]; !isKnown {
			return errForm
		}
		members = members[1:]
	}
	name := f.at(members, 0, tagOctets)
	if f.isWrong {
		return errForm
	}
	at := slices.IndexFunc(s.others, func(one *x509.Certificate) bool {
		sum := hash.New()
		sum.Write(one.Raw)
		return bytes.Equal(sum.Sum(nil), name.Bytes)
	})
	if at < 0 {
		return errors.New("the certificate of its signer is not in it")
	}
	s.signer = s.others[at]
	if !isForStamps(s.signer) {
		return errors.New("its signer's certificate is not one for time stamps alone")
	}
	return nil
}

func isForStamps(certificate *x509.Certificate) bool {
	isCritical := slices.ContainsFunc(certificate.Extensions, func(one pkix.Extension) bool { return one.Id.Equal(oidExtended) && one.Critical })
	return isCritical && len(certificate.UnknownExtKeyUsage) == 0 &&
		slices.Equal(certificate.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping})
}

func nameOfSigner(certificate *x509.Certificate) string {
	if certificate.Subject.CommonName != "" {
		return certificate.Subject.CommonName
	}
	return certificate.Subject.String()
}

// The certificates of a file, each of which is trusted.
type authorities struct {
	pool *x509.CertPool
}

func readAuthorities(path string) (*authorities, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w.", quoted(path), err)
	}
	read := &authorities{x509.NewCertPool()}
	count := 0
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s has a certificate that cannot be read: %w.", quoted(path), err)
		}
		read.pool.AddCert(certificate)
		count++
	}
	if count == 0 {
		return nil, fmt.Errorf("%s has no certificate in the form of PEM.", quoted(path))
	}
	return read, nil
}

// Whether the certificate of the signer, valid at that time, leads to one that is trusted.
func (a *authorities) trust(read stamp) error {
	others := x509.NewCertPool()
	for _, one := range read.others {
		others.AddCert(one)
	}
	if read.at.IsZero() {
		return errNoRoot
	}
	chains, err := read.signer.Verify(x509.VerifyOptions{
		Roots: a.pool, Intermediates: others, CurrentTime: read.at,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping},
	})
	if err != nil || !slices.ContainsFunc(chains, isPlainChain) {
		return errNoRoot
	}
	return nil
}

// Every extension that is critical is one of the three that are understood here, and every signature
// below the root is of one of the kinds above.
func isPlainChain(chain []*x509.Certificate) bool {
	for at, one := range chain {
		for _, extension := range one.Extensions {
			if extension.Critical && !slices.Contains([]string{"2.5.29.15", "2.5.29.19", "2.5.29.37"}, extension.Id.String()) {
				return false
			}
		}
		if at < len(chain)-1 && !isTaken(one.SignatureAlgorithm) {
			return false
		}
	}
	return true
}

func isTaken(kind x509.SignatureAlgorithm) bool {
	for _, one := range signatureKinds {
		if one == kind {
			return true
		}
	}
	return false
}
