// A witness may answer all of these: a log that it knows otherwise is a finding, and named as one.
import { expect, test } from "bun:test";
import { askWitness } from "../../../../../apps/cli/audit/ask-witness.ts";
import { checkpointText, hashesText } from "../../../../../lib/proof/formats.ts";
import { consistencyProof, leafHash, rootOf } from "../../../../../lib/proof/merkle.ts";
import { signNote } from "../../../../../lib/proof/note.ts";
import { readPolicy } from "../../../../../lib/proof/outside/witnesses.ts";
import { errorOf } from "../../../../support/error-of.ts";
import { newKey, nodeReader } from "../../../../support/proof/bundle.ts";
import { newWitness } from "../../../../support/proof/outside-bundles.ts";
import { PlayedWitness } from "../../../../support/proof/played-witness.ts";

const { signer, verifier } = newKey();
const signal = new AbortController().signal;

/** The checkpoint of a log of these entries, and how it is shown to a witness. */
async function logOf(...entries: string[]) {
  const read = nodeReader(entries.map((entry) => leafHash(entry)));
  const size = entries.length;
  const root = await rootOf(size, read);
  const checkpoint = signNote(checkpointText({ origin: signer.name, size, root }), signer);
  const consistency = async (from: number) => hashesText(await consistencyProof(from, size, read));
  return { checkpoint, size, consistency, policy: undefined, signal };
}
const policyOf = (...witnesses: string[]) => {
  const lines = witnesses.map((text, at) => `witness ${at} ${text}\n`);
  const policy = readPolicy(`${lines.join("")}quorum none\n`);
  if (typeof policy === "string") throw new Error(policy);
  return policy;
};

test("a witness signs a log that goes on from what it has seen, and again the same one", async () => {
  using played = new PlayedWitness();
  played.key = verifier;
  const { url } = played;
  const policy = policyOf(played.witness.text);
  for (const log of [await logOf("a"), await logOf("a", "b", "c"), await logOf("a", "b", "c")]) {
    const { lines, by } = await askWitness({ ...log, url, policy });
    expect([lines.startsWith("— played.example "), by]).toEqual([true, "0"]);
    expect(played.seen?.size).toBe(log.size);
  }
});

test("a log that a witness knows otherwise, or longer, is named, and so is one that it does not know", async () => {
  using played = new PlayedWitness();
  const { url } = played;
  const ask = async (...entries: string[]) =>
    await errorOf(askWitness({ ...(await logOf(...entries)), url }));
  const start = `The witness ${url} has not signed.`;
  expect(await ask("a")).toMatchObject({ message: `${start} It does not know this log.` });
  played.key = verifier;
  await askWitness({ ...(await logOf("a", "b")), url });
  expect(await ask("another", "b", "c")).toMatchObject({
    code: "not-ready",
    message: `${start} This log is not the one that it has seen.`,
  });
  expect(await ask("a")).toMatchObject({
    message: `${start} It has seen a log of 2 entries, and this one has 1.`,
  });
  expect(played.seen?.size).toBe(2);
});

test("a signature that is none, of another witness, or of another time is refused", async () => {
  using played = new PlayedWitness();
  played.key = verifier;
  const log = await logOf("a");
  const { url } = played;
  const stranger = policyOf(newWitness("two.example").text);
  expect(await errorOf(askWitness({ ...log, url, policy: stranger }))).toMatchObject({
    message: expect.stringContaining("not that of a witness of the policy"),
  });
  played.at = new Date(0);
  expect(await errorOf(askWitness({ ...log, url }))).toMatchObject({
    message: expect.stringContaining("it is 1970-01-01T00:00:00.000Z, and by the clock of this"),
  });
});

for (const [name, answer] of [
  ["a page", "<html></html>"],
  ["nothing", ""],
  ["a signature of another kind of key", `— x ${Buffer.alloc(68).toString("base64")}\n`],
] as const)
  test(`what is no signature of a witness is refused: ${name}`, async () => {
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(answer) });
    const error = await errorOf(askWitness({ ...(await logOf("a")), url: server.url.origin }));
    expect(error).toMatchObject({
      message: expect.stringContaining("It answers with no signature of a witness."),
    });
  });
