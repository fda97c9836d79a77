// The two verifiers of bundles, lib/proof and apps/verify, name the same places for the same
// damage: each was written by itself from docs/reference/proof.md.
import { expect, test } from "bun:test";
import { buildForTests } from "../../../.ci/go.ts";
import { nightly } from "../../support/nightly.ts";
import { pack } from "../../support/proof/archive.ts";
import { compareVerifiers } from "../../support/proof/both-verifiers.ts";
import { damages } from "../../support/proof/damages.ts";
import { quorumBundle, quorums } from "../../support/proof/quorum-bundles.ts";
import { randomDamages } from "../../support/proof/random-damages.ts";
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

test("both verifiers come to the same after 300 random changes", async () => {
  const { differences } = await compareVerifiers(program, randomDamages(1, 300));
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
