// A bundle shows what it is about, and whatever is done to it is named by its place.
import { describe, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { goalNoteText } from "../../../../lib/proof/formats.ts";
import { signNote } from "../../../../lib/proof/note.ts";
import { verifyBundle } from "../../../../lib/proof/verify.ts";
import { asBundle } from "../../../support/proof/archive.ts";
import {
  artefactFile,
  content,
  factFile,
  goal,
  makeBundle,
  newKey,
  otherGoal,
  sampleEvents,
} from "../../../support/proof/bundle.ts";

const key = newKey();
const stranger = newKey();
const ofGoal = await makeBundle(key, sampleEvents, { goal, content });
const ofAll = await makeBundle(key, sampleEvents, { content });

type Files = ReadonlyMap<string, Uint8Array>;
type Change = (files: Map<string, Uint8Array>) => void;

const textOf = (files: Files, name: string) => Buffer.from(files.get(name) ?? []).toString();
const write =
  (name: string, text: string): Change =>
  (files) =>
    files.set(name, Buffer.from(text));
const remove =
  (name: string): Change =>
  (files) =>
    files.delete(name);
const edit =
  (name: string, change: (text: string) => string): Change =>
  (files) =>
    files.set(name, Buffer.from(change(textOf(files, name))));
const editLines = (name: string, change: (lines: string[]) => string[]): Change =>
  edit(name, (text) =>
    change(text.trimEnd().split("\n"))
      .map((line) => `${line}\n`)
      .join(""),
  );
const without = (line: number) => (lines: string[]) => lines.filter((_, at) => at !== line - 1);
const swapped = ([first = "", second = "", ...rest]: string[]) => [second, first, ...rest];
const doubled = ([first = "", ...rest]: string[]) => [first, first, ...rest];
const noteOf = (about: Partial<Parameters<typeof goalNoteText>[0]>) =>
  signNote(goalNoteText({ goal, entries: 6, size: 12, state: "closed", ...about }), key.signer);
const last = (text: string) =>
  text.replace(/[0-9a-f](\n?)$/, (_, end) => `${end === "" ? "" : "0"}${end}`);

async function found(bundle: Files, change: Change, by = key): Promise<string[]> {
  const files = new Map(bundle);
  change(files);
  const { problems } = await verifyBundle(await asBundle(files), by.verifier);
  return problems.map(({ code, place }) => `${code} ${place}`);
}

describe("a bundle that is as it was written", () => {
  test("about a goal shows all of it", async () => {
    const records: number[] = [];
    const shown = await verifyBundle(await asBundle(ofGoal), key.verifier, (_, line) =>
      records.push(line),
    );
    expect(shown).toMatchObject({ problems: [], entries: 6, goal: { goal, entries: 6, size: 12 } });
    expect(records).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("about all shows the whole log", async () => {
    const shown = await verifyBundle(await asBundle(ofAll), key.verifier);
    expect(shown).toMatchObject({ problems: [], entries: 12, goal: undefined });
  });
});

describe("a bundle about a goal", () => {
  test.each<[string, Change, string[]]>([
    // The log.
    [
      "a byte of a record",
      edit("records.jsonl", (text) => text.replace("bid 4", "bid 5")),
      ["no-record entries:3", "record records.jsonl:3"],
    ],
    [
      "a record removed",
      editLines("records.jsonl", without(2)),
      ["no-record entries:2", `unknown-file ${factFile}`],
    ],
    ["two records swapped", editLines("records.jsonl", swapped), ["record records.jsonl:2"]],
    ["a record doubled", editLines("records.jsonl", doubled), ["record records.jsonl:2"]],
    [
      "no record at all",
      write("records.jsonl", "no record\n"),
      [
        `artefact ${artefactFile}`,
        ...[1, 2, 3, 4, 5, 6].map((line) => `no-record entries:${line}`),
        `unknown-file ${factFile}`,
        "malformed records.jsonl:1",
      ],
    ],
    [
      "a line that is cut",
      edit("records.jsonl", (text) => text.slice(0, -9)),
      ["no-record entries:6", "malformed records.jsonl:6"],
    ],
    [
      "the last event removed whole",
      (files) => {
        editLines("entries", without(6))(files);
        editLines("records.jsonl", without(6))(files);
        files.delete("proofs/10.tlog-proof");
      },
      ["count goal"],
    ],
    [
      "a middle event removed whole",
      (files) => {
        editLines("entries", without(3))(files);
        editLines("records.jsonl", without(3))(files);
        files.delete("proofs/4.tlog-proof");
      },
      ["number entries:3", "count goal"],
    ],
    [
      "the first event removed whole",
      (files) => {
        editLines("entries", without(1))(files);
        editLines("records.jsonl", without(1))(files);
        files.delete("proofs/0.tlog-proof");
      },
      [`artefact ${artefactFile}`, "number entries:1", "count goal"],
    ],
    [
      "two entries swapped",
      editLines("entries", swapped),
      [
        "number entries:1",
        "order entries:2",
        "number entries:2",
        "number entries:3",
        "record records.jsonl:2",
      ],
    ],
    [
      "an entry doubled",
      editLines("entries", doubled),
      ["order entries:2", "number entries:2", "count goal"],
    ],
    [
      "the type of an entry",
      edit("entries", (text) => text.replace("claim_opened", "claim_closed")),
      ["proof proofs/2.tlog-proof", "record records.jsonl:2"],
    ],
    [
      "the place of an entry",
      edit("entries", (text) => text.replace("1795230000000-4", "1795230000000-5")),
      ["proof proofs/4.tlog-proof", "record records.jsonl:3"],
    ],
    [
      "the number of an entry",
      edit("entries", (text) => text.replace(`${goal} 3 `, `${goal} 4 `)),
      ["number entries:3", "number entries:4", "proof proofs/4.tlog-proof"],
    ],
    [
      "the goal of an entry",
      edit("entries", (text) => text.replace(`${goal} 3 `, `${otherGoal} 3 `)),
      [
        "other-goal entries:3",
        "number entries:3",
        "number entries:4",
        "proof proofs/4.tlog-proof",
        "record records.jsonl:3",
      ],
    ],
    [
      "the digest of an entry",
      editLines("entries", (lines) => [
        ...lines.slice(0, 5),
        last(lines[5] ?? "").padEnd(lines[5]?.length ?? 0, "f"),
      ]),
      ["no-record entries:6", "proof proofs/10.tlog-proof", "record records.jsonl:6"],
    ],
    [
      "the index of an entry",
      edit("entries", (text) => text.replace(/^4 /m, "5 ")),
      ["proof proofs/5.tlog-proof", "unknown-file proofs/4.tlog-proof"],
    ],
    [
      "an index beyond the log",
      edit("entries", (text) => text.replace(/^10 /m, "12 ")),
      ["index entries:6", "proof proofs/12.tlog-proof", "unknown-file proofs/10.tlog-proof"],
    ],
    [
      "an index that no number holds",
      edit("entries", (text) => text.replace(/^10 /m, "9223372036854775808 ")),
      ["malformed entries:6", "unknown-file proofs/10.tlog-proof", "record records.jsonl:6"],
    ],
    [
      "another goal's event",
      edit("entries", (text) => text.replaceAll(goal, otherGoal)),
      [
        ...[1, 2, 3, 4, 5, 6].map((line) => `other-goal entries:${line}`),
        ...[0, 10, 2, 4, 6, 8].map((index) => `proof proofs/${index}.tlog-proof`),
        ...[1, 2, 3, 4, 5, 6].map((line) => `record records.jsonl:${line}`),
      ],
    ],
    [
      "an invented event with a right record",
      (files) => {
        const [line = "", ...rest] = textOf(files, "entries").split("\n");
        write(
          "entries",
          [...rest.slice(0, -1), line.replace(/^0 /, "11 ").replace(" 1 ", " 7 "), ""].join("\n"),
        )(files);
      },
      [
        "number entries:1",

        "proof proofs/11.tlog-proof",
        "unknown-file proofs/0.tlog-proof",
        "record records.jsonl:2",
        "record records.jsonl:3",
        "record records.jsonl:4",
        "record records.jsonl:5",
        "record records.jsonl:6",
      ],
    ],
    // Proofs.
    ["a proof removed", remove("proofs/4.tlog-proof"), ["proof proofs/4.tlog-proof"]],
    [
      "a proof changed",
      edit("proofs/4.tlog-proof", (text) =>
        text.replace(/^[A-Za-z0-9+/]{43}=$/m, `${"A".repeat(43)}=`),
      ),
      ["proof proofs/4.tlog-proof"],
    ],
    [
      "a proof of another index",
      (files) => files.set("proofs/4.tlog-proof", files.get("proofs/6.tlog-proof") ?? Buffer.of()),
      ["proof proofs/4.tlog-proof"],
    ],
    [
      "a proof that is none",
      write("proofs/4.tlog-proof", "index 4\n"),
      ["malformed proofs/4.tlog-proof"],
    ],
    ["a proof too many", write("proofs/5.tlog-proof", "x"), ["unknown-file proofs/5.tlog-proof"]],
    // Checkpoint and note.
    [
      "the size of the checkpoint",
      edit("checkpoint", (text) => text.replace("\n12\n", "\n13\n")),
      ["signature checkpoint"],
    ],
    ["no checkpoint", remove("checkpoint"), ["missing checkpoint"]],
    ["no note about the goal", remove("goal"), ["missing goal"]],
    ["a note about fewer events", write("goal", noteOf({ entries: 5 })), ["count goal"]],
    ["a note of an older log", write("goal", noteOf({ size: 11 })), ["size goal"]],
    [
      "a note about another goal",
      write("goal", noteOf({ goal: otherGoal })),
      [1, 2, 3, 4, 5, 6].map((line) => `other-goal entries:${line}`),
    ],
    [
      "a note with another text",
      write("goal", signNote("sett/1 goal x\n", key.signer)),
      ["malformed goal"],
    ],
    [
      "a note of another key",
      write("goal", signNote("sett/1 goal x\n", stranger.signer)),
      ["signature goal"],
    ],
    // Content.
    ["the artefact changed", write(artefactFile, "{}"), [`artefact ${artefactFile}`]],
    ["the artefact removed", remove(artefactFile), [`artefact ${artefactFile}`]],
    [
      "an artefact that no event names",
      write(`artefacts/${goal}.json`, "{}"),
      [`artefact artefacts/${goal}.json`],
    ],
    ["a fact changed", write(factFile, "{}"), [`fact ${factFile}`]],
    ["a fact removed", remove(factFile), [`fact ${factFile}`]],
    [
      "a fact that no event names",
      write(`facts/${"0".repeat(64)}`, "{}"),
      [`unknown-file facts/${"0".repeat(64)}`],
    ],
    ["a file of nothing", write("evil", ""), ["unknown-file evil"]],
  ])("names %s", async (_, change, problems) => {
    expect((await found(ofGoal, change)).toSorted()).toEqual(problems.toSorted());
  });

  test("is nothing under another key", async () => {
    expect(await found(ofGoal, () => {}, stranger)).toEqual([
      "signature checkpoint",
      "signature goal",
    ]);
    // A key of that name does not make it right.
    const twin = newKey(key.signer.name.replace(/\/.*/, ""));
    expect(await found(ofGoal, () => {}, twin)).toEqual(["signature checkpoint", "signature goal"]);
  });
});

describe("a bundle about all", () => {
  test.each<[string, Change, string[]]>([
    [
      "an event removed whole",
      (files) => {
        editLines("entries", without(5))(files);
        editLines("records.jsonl", without(5))(files);
      },
      ["count entries", "number entries:6"],
    ],
    [
      "the last event removed whole",
      (files) => {
        editLines("entries", without(12))(files);
        editLines("records.jsonl", without(12))(files);
      },
      ["count entries"],
    ],
    [
      "an entry changed",
      edit("entries", (text) => text.replace("1795230000000-7", "1795230000000-8")),
      ["record records.jsonl:8", "root checkpoint"],
    ],
    [
      "proofs of a goal",
      write("proofs/1.tlog-proof", "x"),
      [
        "missing goal",
        "malformed proofs/1.tlog-proof",
        ...[0, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => `proof proofs/${index}.tlog-proof`),
      ],
    ],
    [
      "no entries",
      remove("entries"),
      [
        "missing entries",
        "count entries",
        ...Array.from({ length: 12 }, (_, at) => `record records.jsonl:${at + 1}`),
      ],
    ],
  ])("names %s", async (_, change, problems) => {
    expect((await found(ofAll, change)).toSorted()).toEqual(problems.toSorted());
  });

  test("names a checkpoint of the right key with another root", async () => {
    const other = await makeBundle(key, sampleEvents.slice(1).concat(sampleEvents.slice(0, 1)));
    const change: Change = (files) =>
      files.set("checkpoint", other.get("checkpoint") ?? Buffer.of());
    expect(await found(ofAll, change)).toEqual(["root checkpoint"]);
  });
});
