// Finds the line of a digest, also among digests that a person has chosen to be alike.
import { expect, test } from "bun:test";
import { hash } from "node:crypto";
import { DigestTable } from "../../../../lib/proof/digest-table.ts";

const digest = (text: string) => hash("sha256", text, "buffer");

test("each digest has its line, also beyond one part of the table, and others have none", () => {
  const table = new DigestTable();
  const count = 40_000;
  for (let line = 1; line <= count; line++) table.add(digest(`${line}`).toString("hex"), line);
  expect(table.left).toBe(count);
  for (let line = 1; line < count; line++)
    if (table.find(digest(`${line}`)) !== line) throw new Error(`Line ${line} is not found.`);
  expect(table.find(digest("other"))).toBeUndefined();
  expect(table.left).toBe(1);
  expect(table.wasFound(digest("1").toString("hex"))).toBe(true);
  expect(table.wasFound(digest(`${count}`).toString("hex"))).toBe(false);
  expect(table.wasFound(digest("other").toString("hex"))).toBe(false);
}, 120_000);

test("of several lines with one digest the first is meant", () => {
  const table = new DigestTable();
  // The last one begins where a part of the table ends.
  const lines = 2 ** 15;
  for (let line = 1; line <= lines; line++) table.add(digest(`${line}`).toString("hex"), line);
  for (const line of [1, 2, lines]) table.add(digest(`${line}`).toString("hex"), lines + line);
  table.add(digest("last").toString("hex"), 3 * lines);
  expect([1, 2, lines].map((line) => table.find(digest(`${line}`)))).toEqual([1, 2, lines]);
  expect(table.find(digest("last"))).toBe(3 * lines);
  expect(table.left).toBe(lines + 1 - 4);
  expect(table.find(digest("1"))).toBe(1);
  expect(table.left).toBe(lines + 1 - 4);
}, 120_000);

test("digests that differ in four bytes alone each have their own line", () => {
  for (let from = 0; from < 32; from += 4) {
    const table = new DigestTable();
    // As many as the first slots hold, so that several begin to look at one place.
    const alike = Array.from({ length: 700 }, (_, at) => {
      const one = Buffer.alloc(32);
      one.writeUInt32BE(at, from);
      return one;
    });
    for (const [at, one] of alike.entries()) table.add(one.toString("hex"), at + 1);
    expect(alike.map((one) => table.find(one))).toEqual(alike.map((_, at) => at + 1));
  }
});
