// Each damage of what authorities and witnesses have seen of a log is named by its place.
import { expect, test } from "bun:test";
import { readPem } from "../../../../../lib/proof/outside/certificates.ts";
import { timesOf } from "../../../../../lib/proof/outside/moments.ts";
import type { OutsideTrust } from "../../../../../lib/proof/outside/outside-in-bundle.ts";
import { readPolicy } from "../../../../../lib/proof/outside/witnesses.ts";
import { verifyBundle } from "../../../../../lib/proof/verify.ts";
import { asBundle } from "../../../../support/proof/archive.ts";
import { type Files, key } from "../../../../support/proof/damages.ts";
import {
  authority,
  outsideCases,
  policyText,
  seenOfAll,
  seenOfGoal,
} from "../../../../support/proof/outside-bundles.ts";

const policy = readPolicy(policyText);
if (typeof policy === "string") throw new Error(policy);
const trust: OutsideTrust = { roots: readPem(authority.root), policy, required: [] };

for (const { name, files, problems } of outsideCases)
  test(`of the anchors of a bundle is named by its place: ${name}`, async () => {
    const found = await verifyBundle(
      await asBundle(files),
      key.verifier,
      undefined,
      undefined,
      [],
      trust,
    );
    expect(found.problems.map(({ code, place }) => `${code} ${place}`)).toEqual(problems);
  });

const problemsOf = async (files: Files, required: OutsideTrust["required"], more = trust) => {
  const bundle = await asBundle(files);
  const by = { ...more, required };
  const { problems } = await verifyBundle(bundle, key.verifier, undefined, undefined, [], by);
  return problems.map(({ code, place }) => `${code} ${place}`);
};
const without = (files: Files, start: string) =>
  new Map([...files].filter(([name]) => !name.startsWith(start)));

test("a time stamp and witnesses that are required must be about all entries of the goal", async () => {
  const both = ["tsa", "witness"] as const;
  expect(await problemsOf(seenOfGoal, both)).toEqual([]);
  const missing = ["tsa anchors", "witness anchors"];
  expect(await problemsOf(without(seenOfGoal, "anchors/13"), both)).toEqual(missing);
  // A whole log always has something at its end that was not seen yet.
  expect(await problemsOf(without(seenOfAll, "anchors/13"), both)).toEqual([]);
  expect(await problemsOf(without(seenOfAll, "anchors"), both)).toEqual(missing);
  expect(await problemsOf(seenOfGoal, both, { required: [] })).toEqual(missing);
});

test("the entries of a goal are between the last look before them and the first one behind them", async () => {
  const found = await verifyBundle(
    ...([await asBundle(seenOfGoal), key.verifier, undefined, undefined, [], trust] as const),
  );
  expect(found.outside.map(({ size, sealed }) => [size, sealed])).toEqual([
    [6, 6],
    [13, 13],
  ]);
  expect(timesOf(found.outside, { first: 8, last: 11 })).toMatchObject({
    notLater: { anchor: { size: 13 } },
    notEarlier: { anchor: { size: 6 } },
  });
  expect(timesOf(found.outside, { first: 0, last: 5 })).toMatchObject({
    notLater: { anchor: { size: 6 } },
    notEarlier: undefined,
  });
  // The anchor has as many as were seen.
  expect(timesOf(found.outside, { first: 0, last: 14 }).notLater?.anchor.size).toBe(13);
  expect(timesOf([], { first: 0, last: 14 })).toEqual({
    notLater: undefined,
    notEarlier: undefined,
  });
});
