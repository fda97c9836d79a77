// Verifies an attestation by sigstore-go, which is what cosign uses, and has in-toto's own rules
// look at it: `attestation KEY BUNDLE COMMIT`. It prints why it refuses it.
package main

import (
	"crypto"
	"encoding/hex"
	"fmt"
	"os"
	"time"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"google.golang.org/protobuf/encoding/protojson"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(keyFile, bundleFile, commit string) error {
	pem, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(pem)
	if err != nil {
		return err
	}
	byKey, err := signature.LoadVerifier(key, crypto.SHA256)
	if err != nil {
		return err
	}
	trusted := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return root.NewExpiringKey(byKey, time.Time{}, time.Time{}), nil
	})
	verifier, err := verify.NewVerifier(trusted, verify.WithNoObserverTimestamps())
	if err != nil {
		return err
	}
	read, err := bundle.LoadJSONFromPath(bundleFile)
	if err != nil {
		return err
	}
	digest, err := hex.DecodeString(commit)
	if err != nil {
		return err
	}
	result, err := verifier.Verify(read, verify.NewPolicy(verify.WithArtifactDigest("gitCommit", digest), verify.WithKey()))
	if err != nil {
		return err
	}
	if err := result.Statement.Validate(); err != nil {
		return err
	}
	predicate, err := protojson.Marshal(result.Statement.GetPredicate())
	if err != nil {
		return err
	}
	var said provenance.Provenance
	// A member that the schema does not have is refused.
	if err := protojson.Unmarshal(predicate, &said); err != nil {
		return err
	}
	return said.Validate()
}
