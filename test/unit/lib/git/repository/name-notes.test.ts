import { expect, test } from "bun:test";
import { nameNotes } from "../../../../../lib/git/repository/name-notes.ts";
import type { PlainView } from "../../../../../lib/git/run/plain-view.ts";
import type { GitRun } from "../../../../../lib/git/run/run-git.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";

const commit = CommitHash.parse("1".repeat(40));

/** A commit with these new names. Resolves with the notes, and the longest arguments of a git. */
async function notesOn(names: readonly string[]): Promise<{ notes: string[]; bytes: number }> {
  let bytes = 0;
  const run = async ({ args }: GitRun) => {
    bytes = Math.max(bytes, args.join(" ").length);
    return args.includes("diff") ? names.map((name) => `A\0${name}\0`).join("") : "";
  };
  const notes = await nameNotes({ run } as unknown as PlainView, "HEAD", commit);
  return { notes, bytes };
}

test("names that no person reads, and paths that no checkout has, are counted and not compared", async () => {
  const deep = "a/".repeat(1_000);
  const { notes } = await notesOn(["a.txt", `${deep}b`, "c".repeat(5_000), "d/e.txt"]);
  expect(notes).toEqual(["2 of its names were not compared: they are too many, or too long."]);
  const many = await notesOn(Array.from({ length: 20_003 }, (_, at) => `${at}.txt`));
  expect(many.notes).toEqual(["3 of its names were not compared: they are too many, or too long."]);
});

test("git gets folders with long names in several calls, each of which has room", async () => {
  const long = "f".repeat(4_000);
  const { notes, bytes } = await notesOn(Array.from({ length: 900 }, (_, at) => `${long}${at}/a`));
  expect(notes).toEqual([]);
  expect(bytes).toBeLessThan(1_100_000);
});
