// The attestations of the notary are right by the programs of others: sigstore-go, which is what
// cosign uses, and in-toto's own rules. The first build of the program takes a minute of a
// processor.
import { expect, test } from "bun:test";
import { createPublicKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildForTests } from "../../../.ci/go.ts";
import { newAttestationKey, signAttestation } from "../../../lib/proof/attestation.ts";
import { attestationPem, commit, sampleStatement } from "../../support/proof/attested-bundles.ts";

const program = await buildForTests("attestation");
const statement = await sampleStatement();
const attested = signAttestation(statement, attestationPem);

type Change = { text?: string; of?: string; pem?: string };

/** Empty where sigstore-go and in-toto take it. */
async function refusalOf({ text = attested, of = commit, pem = attestationPem }: Change) {
  const folder = await mkdtemp(join(tmpdir(), "sett-attestation-"));
  try {
    const key = createPublicKey(pem).export({ format: "pem", type: "spki" });
    await writeFile(join(folder, "key"), key);
    await writeFile(join(folder, "bundle"), text);
    const { exitCode, stdout } = Bun.spawnSync([program, "key", "bundle", of], { cwd: folder });
    if ((exitCode === 0) !== (stdout.length === 0)) throw new Error(`exit code ${exitCode}`);
    return stdout.toString();
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("sigstore-go takes an attestation for what it is, and nothing else for one", async () => {
  expect(await refusalOf({})).toBe("");
  expect(await refusalOf({ of: "d".repeat(40) })).toContain("does not match any digest");
  expect(await refusalOf({ pem: newAttestationKey() })).toContain("could not verify envelope");
  const [before = "", after = ""] = attested.split('"payload":"');
  const other = Buffer.from(statement.replace("coder", "coper")).toString("base64");
  const text = `${before}"payload":"${other}${after.slice(after.indexOf('"'))}`;
  expect(await refusalOf({ text })).toContain("could not verify envelope");
});

test("in-toto's rules know each member of a statement", async () => {
  const odd = statement.replace('"goal":', '"odd":{},"goal":').replace('"builder":', '"odd":');
  const text = signAttestation(odd, attestationPem);
  expect(await refusalOf({ text })).toContain("odd");
});
