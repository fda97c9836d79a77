// A bundle is read piece by piece, and its lines are whole all the same.
import { expect, test } from "bun:test";
import { readArchive } from "../../../../lib/proof/archive.ts";
import { BundleFile, LineCursor, pieceBytes } from "../../../../lib/proof/bundle-file.ts";
import { verifyBundle } from "../../../../lib/proof/verify.ts";
import { inMemory, pack } from "../../../support/proof/archive.ts";
import { makeBundle, newKey } from "../../../support/proof/bundle.ts";

const fileOf = (content: Buffer) =>
  new BundleFile(inMemory(content), { at: 0, size: content.length });

async function linesOf(text: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of fileOf(Buffer.from(text)).lines())
    lines.push(...some.map((line) => line.toString()));
  return lines;
}

test("lines are whole where a piece ends in them, and where one is longer than a piece", async () => {
  const lines = [
    "",
    "x".repeat(pieceBytes - 2),
    "y",
    "",
    "z".repeat(3 * pieceBytes),
    ...Array.from({ length: 20_000 }, (_, at) => `line ${at}`),
  ].map((line) => `${line}\n`);
  expect(await linesOf(lines.join(""))).toEqual(lines);
  expect(await linesOf(`${lines.join("")}no end`)).toEqual([...lines, "no end"]);
  expect(await linesOf("x".repeat(2 * pieceBytes))).toEqual(["x".repeat(2 * pieceBytes)]);
  expect(await linesOf("")).toEqual([]);
});

test("a reader goes forward to each line that is asked for, and to none behind the last", async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at + 1}\n`);
  const cursor = new LineCursor(fileOf(Buffer.from(lines.join(""))));
  for (const line of [1, 2, 2, 31_000, 60_000])
    expect((await cursor.to(line))?.toString()).toBe(`line ${line}\n`);
  expect(await cursor.to(60_001)).toBeUndefined();
});

test("no more than a piece of a bundle is asked for at once, whatever its size", async () => {
  const key = newKey();
  const goal = "44444444-4444-4444-8444-444444444444";
  const id = "55555555-5555-4555-8555-555555555555";
  const large = "a".repeat(3 * pieceBytes);
  const sha256 = new Bun.CryptoHasher("sha256").update(large).digest("hex");
  const event = JSON.stringify({ goal_id: goal, artefact_id: id, data: { sha256 } });
  const events = [
    { place: "1795230000000-0", type: "artefact_created", event },
    ...Array.from({ length: 2_000 }, (_, at) => ({
      place: `1795230000001-${at}`,
      type: "bid_placed",
      event: JSON.stringify({ goal_id: goal, data: { word: "x".repeat(200) } }),
    })),
  ];
  const content = { [`artefacts/${id}.json`]: large };
  const archive = pack(await makeBundle(key, events, { content }));
  const lengths: number[] = [];
  const { size, read } = inMemory(archive);
  const files = await readArchive({
    size,
    read: async (into, at) => {
      lengths.push(into.length);
      await read(into, at);
    },
  });
  if (typeof files === "string") throw new Error(files);
  const { problems, entries } = await verifyBundle(files, key.verifier);
  expect({ problems, entries }).toEqual({ problems: [], entries: 2_001 });
  expect(archive.length).toBeGreaterThan(5 * pieceBytes);
  expect(Math.max(...lengths)).toBe(pieceBytes);
});
