import { expect, test } from "bun:test";
import { checkoutNotes } from "../../../../../lib/git/repository/checkout-notes.ts";
import type { PlainView } from "../../../../../lib/git/run/plain-view.ts";
import type { GitRun } from "../../../../../lib/git/run/run-git.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";

const commit = CommitHash.parse("1".repeat(40));

/** A commit that changes these files. `asked`: folders; `bytes`: the longest arguments of git. */
async function notesOn(names: readonly string[]) {
  let [bytes, asked] = [0, 0];
  const run = async ({ args }: GitRun) => {
    bytes = Math.max(bytes, args.join(" ").length);
    asked += args.filter((one) => one.endsWith(".gitattributes")).length;
    return args.includes("diff") ? names.map((name) => `${name}\0`).join("") : "";
  };
  const notes = await checkoutNotes({ run } as unknown as PlainView, "HEAD", commit);
  return { notes, bytes, asked };
}

test("a path of thousands of folders is counted, and its folders are not asked for", async () => {
  const { notes, asked } = await notesOn(["a.txt", `${"a/".repeat(2_000)}b`, "c".repeat(5_000)]);
  expect(asked).toBe(1);
  expect(notes).toEqual([
    "Attributes were read for 1 of its 3 files only: they are too many, or their names too long.",
  ]);
});

test("folders with long names are asked for in several calls, and not without end", async () => {
  const long = "f".repeat(4_000);
  const { notes, bytes } = await notesOn(Array.from({ length: 900 }, (_, at) => `${long}${at}/a`));
  expect(notes).toEqual([]);
  expect(bytes).toBeLessThan(1_100_000);
  const many = await notesOn(
    Array.from({ length: 400 }, (_, at) => `${`${at}-/`.repeat(60).slice(0, -1)}/a`),
  );
  expect([many.asked, many.notes]).toEqual([
    20_000,
    ["Attributes were read in 20000 of the 24001 folders of its files only."],
  ]);
});
