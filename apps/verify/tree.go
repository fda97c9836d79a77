package main

import (
	"bytes"
	"crypto/sha256"
	"math/bits"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"
)

// A proof of the version 1 of tlog-proof. `checkpoint`: its bytes.
type proof struct {
	index      []byte
	hashes     tlog.RecordProof
	checkpoint []byte
}

func parseProof(content []byte) (proof, bool) {
	rest, isProof := bytes.CutPrefix(content, []byte("c2sp.org/tlog-proof@v1\nindex "))
	if !isProof {
		return proof{}, false
	}
	var read proof
	if read.index, rest, isProof = bytes.Cut(rest, []byte{'\n'}); !isProof || !isCount(read.index) {
		return proof{}, false
	}
	for {
		line, after, isWhole := bytes.Cut(rest, []byte{'\n'})
		if !isWhole {
			return proof{}, false
		}
		if len(line) == 0 {
			read.checkpoint = after
			return read, true
		}
		hash, isHash := parseHash(line)
		if !isHash {
			return proof{}, false
		}
		read.hashes = append(read.hashes, hash)
		rest = after
	}
}

func (p proof) leadsTo(signed checkpoint, data []byte) bool {
	// They were read as numbers below 2^53.
	size, _ := strconv.ParseInt(string(signed.size), 10, 64)
	index, _ := strconv.ParseInt(string(p.index), 10, 64)
	return tlog.CheckRecord(p.hashes, size, signed.root, index, tlog.RecordHash(data)) == nil
}

// A tree of which only the roots of its full parts are kept, the largest first.
type tree struct {
	size  uint64
	parts []tlog.Hash
}

func (t *tree) add(data []byte) {
	hash := tlog.RecordHash(data)
	for range bits.TrailingZeros64(t.size + 1) {
		last := len(t.parts) - 1
		hash = tlog.NodeHash(t.parts[last], hash)
		t.parts = t.parts[:last]
	}
	t.parts = append(t.parts, hash)
	t.size++
}

func (t *tree) root() tlog.Hash {
	last := len(t.parts) - 1
	if last < 0 {
		return sha256.Sum256(nil)
	}
	hash := t.parts[last]
	for at := last - 1; at >= 0; at-- {
		hash = tlog.NodeHash(t.parts[at], hash)
	}
	return hash
}
