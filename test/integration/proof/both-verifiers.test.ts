// The two verifiers of bundles, lib/proof and apps/verify, name the same places for the same
// damage: each was written by itself from docs/reference/proof.md.
import { expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { buildForTests } from "../../../.ci/go.ts";
import { verifierKeyText } from "../../../lib/proof/note.ts";
import { receiptText } from "../../../lib/proof/receipt.ts";
import { verifyBundle } from "../../../lib/proof/verify.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { asBundle, pack } from "../../support/proof/archive.ts";
import {
  attestedBundle,
  attestedCases,
  attestedKey,
} from "../../support/proof/attested-bundles.ts";
import { compareVerifiers } from "../../support/proof/both-verifiers.ts";
import { content, goal, makeBundle, newKey, sampleEvents } from "../../support/proof/bundle.ts";
import { damages, key, ofGoal } from "../../support/proof/damages.ts";
import {
  erasureBundle,
  erasureSigners,
  erasures,
  signedErasures,
} from "../../support/proof/erasure-bundles.ts";
import { authority, outsideCases, policyText } from "../../support/proof/outside-bundles.ts";
import { quorumBundle, quorums } from "../../support/proof/quorum-bundles.ts";
import {
  randomDamages,
  randomOutside,
  randomRotations,
} from "../../support/proof/random-damages.ts";
import {
  first,
  rotatedBundle,
  rotationCases,
  second,
  thief,
  trustedKeys,
} from "../../support/proof/rotation-bundles.ts";
import {
  signedBundle,
  signedChanges,
  signedKey,
  signedLines,
} from "../../support/proof/signed-bundle.ts";

const program = await buildForTests("verify");

test("both verifiers name the same places for each damage, and whole bundles pass", async () => {
  const { differences, found } = await compareVerifiers(program, damages);
  expect(differences).toEqual([]);
  expect(damages.length).toBeGreaterThan(70);
  const shown = damages.filter((_, at) => found[at]?.length === 0).map(({ name }) => name);
  expect(shown).toEqual([
    "nothing, of a goal",
    "nothing, of all",
    "a signature of another key beside it",
    "a file order of another kind",
    "another README",
    "no README",
    "a note of a log that was begun anew",
  ]);
  // Every code is tried.
  const codes = new Set(found.flat().map((problem) => problem.split(" ")[0]));
  expect(codes.size).toBe(18);
});

test("both verifiers name the same acts of people that are not signed as they must be", async () => {
  const made = signedChanges.map(async ([name, change]) => {
    return { name, archive: pack(await signedBundle(change)) };
  });
  const trust = { key: signedKey.verifier, signers: signedLines };
  const { differences, found } = await compareVerifiers(program, await Promise.all(made), trust);
  expect(differences).toEqual([]);
  const codes = new Set(found.flat().map((problem) => problem.split(" ")[0]));
  expect([...codes].toSorted()).toEqual([
    ...["namespace", "signer", "sshsig", "statement", "unsigned", "validity"],
  ]);
});

test("both verifiers name the same ends for which too few different people have approved", async () => {
  const made = quorums.map(async ([name, events]) => {
    return { name, archive: pack(await quorumBundle(events)) };
  });
  const { differences, found } = await compareVerifiers(program, await Promise.all(made));
  expect(differences).toEqual([]);
  const expected = quorums.map(([name, , line]) => {
    return [name, line === undefined ? [] : [`approvals records.jsonl:${line}`]];
  });
  expect(quorums.map(([name], at) => [name, found[at]])).toEqual(expected);
});

test("both verifiers name the same attestations that do not say what the log says, or that the key has not signed", async () => {
  const made = attestedCases.map(async ([name, one]) => {
    return { name, archive: pack(await attestedBundle(one)) };
  });
  const trust = { key: attestedKey.verifier };
  const { differences, found } = await compareVerifiers(program, await Promise.all(made), trust);
  expect(differences).toEqual([]);
  expect(attestedCases.map(([name], at) => [name, found[at]])).toEqual(
    attestedCases.map(([name, , problems]) => [name, problems]),
  );
});

test("both verifiers follow a key to the ones that it has named, and name one that was exchanged without", async () => {
  for (const trusted of trustedKeys) {
    const cases = await rotationCases(trusted);
    const made = cases.map(({ name, files }) => ({ name, archive: pack(files) }));
    const trust = { key: trusted.key.verifier };
    const { differences, found } = await compareVerifiers(program, made, trust);
    expect(differences).toEqual([]);
    expect(cases.map(({ name }, at) => [name, found[at]])).toEqual(
      cases.map(({ name, problems }) => [name, problems]),
    );
  }
});

test("both verifiers say of which lost log a new one was begun, and that only what others have seen joins them", async () => {
  const former = {
    origin: "demo.sett.invalid/1a2b3c4d",
    size: "40",
    by: "person:Ada",
    reason: "x",
  };
  for (const [after, isSaid] of [
    [former, true],
    [{ ...former, size: "040" }, false],
    [{ ...former, size: 40 }, false],
    [{ ...former, origin: "a b" }, false],
    [[], false],
    [null, false],
  ] as const) {
    const event = JSON.stringify({ instance: "demo", after });
    const events = [{ place: "-", type: "notary_began", event }, ...sampleEvents];
    const files = await makeBundle(key, events, { content });
    const { problems, after: found } = await verifyBundle(await asBundle(files), key.verifier);
    const said = isSaid ? { origin: former.origin, size: 40 } : undefined;
    expect([problems, found]).toEqual([[], said]);
    // A pipe is read as a file is.
    const args = ["/dev/stdin", "--key", verifierKeyText(key.verifier)];
    const ask = (...more: string[]) =>
      Bun.spawnSync([program, ...args, ...more], { stdin: pack(files) }).stdout.toString();
    expect(JSON.parse(ask("--json")).after).toEqual(said as never);
    expect(ask().includes("Only what others have seen of both shows it.")).toBe(isSaid);
  }
});

test("both verifiers take receipts under each key of the log, and none under a key that was not its own then", async () => {
  const { files, receipts } = await rotatedBundle();
  const early = await rotatedBundle({ handovers: [[second.signer, first.signer]] });
  const late = await rotatedBundle({ handovers: [[thief.signer], [thief.signer]] });
  const all = [...receipts, ...early.receipts.slice(1, 2), ...late.receipts.slice(1, 2)];
  for (const { key: trusted } of trustedKeys) {
    const trust = { key: trusted.verifier, receipts: all };
    const made = [{ name: "whole", archive: pack(files) }];
    const { differences, found } = await compareVerifiers(program, made, trust);
    expect(differences).toEqual([]);
    expect(found).toEqual([["receipt receipt:6"]]);
  }
});

test("both verifiers name the same receipts of which a bundle has not the act", async () => {
  const receipts = receiptsOf(ofGoal);
  const wrong = [
    ...["", textOf(ofGoal, "proofs/0.tlog-proof"), `${receipts[1]} `],
    ...receipts.flatMap((text) => [
      text.replace("extra ", "extra A"),
      text.replace(/.\n\n/, "\n\n"),
    ]),
    ...receiptsOf(await makeBundle(newKey(), sampleEvents, { goal })),
    ...receiptsOf(await makeBundle(key, sampleEvents.slice(1), { goal })),
    ...receiptsOf(await makeBundle(key, [...sampleEvents, ...sampleEvents], { goal })),
  ];
  const trust = { key: key.verifier, receipts: [...receipts, ...wrong] };
  const { differences, found } = await compareVerifiers(program, damages, trust);
  expect(differences).toEqual([]);
  const ofWhole = found[damages.findIndex(({ name }) => name === "nothing, of a goal")];
  // Those of a log that goes on, the last ones, are about entries that the bundle has, but six.
  const count = receipts.length + wrong.length;
  const right = [...receipts.keys(), ...receipts.map((_, at) => count - 2 * receipts.length + at)];
  const numbers = Array.from({ length: count }, (_, at) => at).filter((at) => !right.includes(at));
  expect(ofWhole).toEqual(numbers.map((at) => `receipt receipt:${at + 1}`));
});

const textOf = (bundle: ReadonlyMap<string, Uint8Array>, name: string) =>
  Buffer.from(bundle.get(name) ?? []).toString();

function receiptsOf(bundle: ReadonlyMap<string, Uint8Array>): string[] {
  const lines = textOf(bundle, "entries").trimEnd().split("\n");
  return lines.map((line) => {
    const [index = ""] = line.split(" ");
    const proof = textOf(bundle, `proofs/${index}.tlog-proof`);
    return receiptText(proof, `${line.slice(index.length + 1)}\n`);
  });
}

test("both verifiers tell what was erased on record from what is missing, and name an erasure that is none", async () => {
  for (const [cases, signers] of [
    [erasures, undefined],
    [signedErasures, erasureSigners],
  ] as const) {
    const made = cases.map(async ([name, events, , isThere]) => {
      return { name, archive: pack(await erasureBundle(events, isThere)) };
    });
    const trust = { key: signedKey.verifier, ...(signers !== undefined && { signers }) };
    const { differences, found } = await compareVerifiers(program, await Promise.all(made), trust);
    expect(differences).toEqual([]);
    expect(cases.map(([name], at) => [name, found[at]])).toEqual(
      cases.map(([name, , problems]) => [name, problems]),
    );
  }
});

const [seed, count] = isNight ? [3, 500] : [1, 150];
const outside = { tsa: authority.root, policy: policyText };

test("both verifiers name the same time stamps and witnesses that do not show when the log was there", async () => {
  const made = outsideCases.map(({ name, files }) => ({ name, archive: pack(files) }));
  const trust = { key: key.verifier, outside };
  const { differences, found } = await compareVerifiers(program, made, trust);
  expect(differences).toEqual([]);
  expect(outsideCases.map(({ name }, at) => [name, found[at]])).toEqual(
    outsideCases.map(({ name, problems }) => [name, problems]),
  );
});

test(`both verifiers come to the same after ${count} random changes of what was seen outside`, async () => {
  const trust = { key: key.verifier, outside };
  const { differences } = await compareVerifiers(program, randomOutside(seed, count), trust);
  expect(differences).toEqual([]);
});

test(`both verifiers come to the same after ${count} random changes of how keys took over`, async () => {
  const made = await randomRotations(seed, count);
  for (const { key: trusted } of trustedKeys) {
    const { differences, found } = await compareVerifiers(program, made, { key: trusted.verifier });
    expect(differences).toEqual([]);
    // No changed byte is passed over.
    expect(found.filter((problems) => problems.length === 0)).toEqual([]);
  }
});

test(`both verifiers come to the same after ${count} random changes`, async () => {
  const { differences } = await compareVerifiers(program, randomDamages(seed, count));
  expect(differences).toEqual([]);
});

nightly(
  "both verifiers come to the same after 10 000 random changes",
  async () => {
    const { differences } = await compareVerifiers(program, randomDamages(2, 10_000));
    expect(differences).toEqual([]);
  },
  600_000,
);
