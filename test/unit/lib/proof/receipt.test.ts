// A receipt of one entry names a bundle that has left it out, or has another one in its place.
import { expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { readReceipt, receiptText } from "../../../../lib/proof/receipt.ts";
import { verifyBundle } from "../../../../lib/proof/verify.ts";
import { asBundle } from "../../../support/proof/archive.ts";
import {
  content,
  goal,
  makeBundle,
  newKey,
  otherGoal,
  sampleEvents,
} from "../../../support/proof/bundle.ts";

const key = newKey();
const ofGoal = await makeBundle(key, sampleEvents, { goal, content });
const ofOther = await makeBundle(key, sampleEvents, { goal: otherGoal, content });
const ofAll = await makeBundle(key, sampleEvents, { content });

type Files = ReadonlyMap<string, Uint8Array>;
const textOf = (files: Files, name: string) => Buffer.from(files.get(name) ?? []).toString();

/** Of the entry in this line of `entries`, from 0. */
function receiptOf(files: Files, line: number): string {
  const [, index = "", entry = ""] =
    /^(\d+) (.*)$/.exec(textOf(files, "entries").split("\n")[line] ?? "") ?? [];
  return receiptText(textOf(files, `proofs/${index}.tlog-proof`), `${entry}\n`);
}

async function found(files: Files, ...receipts: string[]): Promise<string[]> {
  const bundle = await asBundle(new Map(files));
  const { problems } = await verifyBundle(bundle, key.verifier, undefined, undefined, receipts);
  return problems.map(({ code, place, text }) => `${code} ${place} ${text}`);
}

const third = receiptOf(ofGoal, 2);
const changed = (text: string, from: string | RegExp, to: string) => {
  const made = text.replace(from, to);
  expect(made).not.toBe(text);
  return made;
};

test("each entry of a goal is found by its receipt, in the bundle of the goal and of all", async () => {
  const receipts = [0, 1, 2, 3, 4, 5].map((line) => receiptOf(ofGoal, line));
  expect(await found(ofGoal, ...receipts)).toEqual([]);
  expect(await found(ofAll, ...receipts)).toEqual([]);
  expect(readReceipt(third)?.text).toBe(
    `${textOf(ofGoal, "entries").split("\n")[2]?.replace(/^\d+ /, "")}\n`,
  );
});

test("a log that has left an act out, or has put another one in its place, is named", async () => {
  // The same key has signed both: without the receipt nothing is wrong with the second log.
  const without = sampleEvents.filter((_, at) => at !== 3);
  for (const events of [without, [...without, ...sampleEvents.slice(3, 4)]]) {
    const other = await makeBundle(key, events, {});
    const mine = receiptOf(await makeBundle(key, sampleEvents, { goal }), 2);
    const problems = (await found(other, mine)).filter((one) => one.startsWith("receipt"));
    expect(problems).toEqual([
      "receipt receipt:1 The bundle has not the entry that it is about at its index.",
    ]);
  }
});

test("what is no receipt, or shows nothing, is named by its number", async () => {
  const proof = third.split("\n");
  const stranger = newKey();
  const foreign = receiptOf(await makeBundle(stranger, sampleEvents, { goal, content }), 2);
  const entry = readReceipt(third)?.text ?? "";
  const short = await makeBundle(key, sampleEvents.slice(0, 2), {});
  const cases = [
    ["", "It is no receipt."],
    [textOf(ofGoal, "proofs/0.tlog-proof"), "It is no receipt."],
    [changed(third, "extra ", "extra A"), "It is no receipt."],
    [changed(third, "tlog-proof@v1", "tlog-proof@v2"), "It is no receipt."],
    [
      [...proof.slice(0, 3), ...proof.slice(4)].join("\n"),
      "It does not lead from its entry to the root.",
    ],
    [
      receiptText(changed(third, /extra .*\n/, ""), changed(entry, "sett/1 1", "sett/1 2")),
      "It does not lead from its entry to the root.",
    ],
    [foreign, "The key has not signed its checkpoint."],
    [receiptOf(ofOther, 0), "It is about another goal."],
  ] as const;
  expect(await found(ofGoal, ...cases.map(([text]) => text))).toEqual(
    cases.map(([, why], at) => `receipt receipt:${at + 1} ${why}`),
  );
  const late = (await found(short, receiptOf(ofGoal, 5))).filter((one) => one.includes("receipt"));
  expect(late).toEqual(["receipt receipt:1 It is of a later log than the bundle."]);
});
