import { describe, expect, test } from "bun:test";
import { readSigners } from "../../../../lib/proof/ssh/allowed-signers.ts";
import { verifyBundle } from "../../../../lib/proof/verify.ts";
import { asBundle } from "../../../support/proof/archive.ts";
import { sampleReview } from "../../../support/proof/sample-act.ts";
import {
  signedBundle,
  signedChanges,
  signedKey,
  signedLines,
} from "../../../support/proof/signed-bundle.ts";

const signers = readSigners(signedLines).signers;

async function verified(files: ReadonlyMap<string, Uint8Array>, isRequired: boolean) {
  const signing = { signers, isRequired };
  return await verifyBundle(await asBundle(files), signedKey.verifier, undefined, signing);
}

describe("the acts of people in a log", () => {
  test("are counted by whether they are signed, and named where they must be", async () => {
    const shown = await verified(await signedBundle(), false);
    expect(shown.problems).toEqual([]);
    expect(shown.acts).toEqual({ signed: 3, unsigned: 1, by: ["ada@example.org"] });
    const required = await verified(await signedBundle(), true);
    expect(required.problems.map(({ code }) => code)).toEqual(["unsigned"]);
  });

  test("with anything that was changed are named, with what it is", async () => {
    const place = `artefacts/${sampleReview.id}.json`;
    const found: [what: string, problems: string[]][] = [];
    for (const [what, change] of signedChanges) {
      const { problems } = await verified(await signedBundle(change), true);
      found.push([
        what,
        problems.map((one) => `${one.code} ${one.place}`).filter((one) => one.endsWith(place)),
      ]);
    }
    expect(found).toEqual(
      signedChanges.map(([what, , code]) => [what, code === undefined ? [] : [`${code} ${place}`]]),
    );
  });

  test("are not looked at without signers", async () => {
    const files = await asBundle(await signedBundle());
    const { acts, problems } = await verifyBundle(files, signedKey.verifier);
    expect({ acts, problems }).toEqual({ acts: undefined, problems: [] });
  });
});
