// The notary meets a Redis that has lost, moved or swapped what it knew, and a volume that is not
// the one it was. Redis is a list here, so that its places can be chosen.
import { expect, test } from "bun:test";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportLines, openKey } from "../../../apps/orchestrator/notary/export-proof.ts";
import { Notary } from "../../../apps/orchestrator/notary/notary.ts";
import { SealedFiles } from "../../../apps/orchestrator/notary/sealed-files.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { goal } from "../../support/proof/bundle.ts";
import { ListBoard } from "../../support/proof/list-board.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "notary-and-redis-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs a notary until the last event of the board is sealed, or it ends: the sentence of that. */
async function sealAll(board: ListBoard, folder: string): Promise<string | undefined> {
  const files = new SealedFiles(folder);
  await openKey(files, instance);
  const log = createJsonLog(() => {}, systemClock.now);
  const about = { instance, version: "0.1.0" };
  const notary = new Notary({ board, files, clock: systemClock, log, about });
  const controller = new AbortController();
  let problem: string | undefined;
  const ended = notary.run(controller.signal).catch((error: Error) => {
    problem = error.message;
  });
  await waitFor("the last event to be sealed", async () => {
    const places = (await exported(folder).catch(() => undefined))?.entries.map(placeOf);
    return problem !== undefined || places?.includes(board.events.at(-1)?.place ?? "-");
  });
  controller.abort();
  await ended;
  return problem;
}

type Exported = { last_place: string; entries: string[]; records: string[] };

async function exported(folder: string): Promise<Exported> {
  const [head = ""] = await linesOf(folder, { head: true });
  const { checkpoint, last_place } = JSON.parse(head);
  const part = (of: string) => linesOf(folder, { part: { of, checkpoint, from: 0 } });
  const entries = (await part("entries")).map((line) => JSON.parse(line).entry);
  const records = (await part("records")).map((line) => JSON.parse(line).record);
  return { last_place, entries, records };
}

async function linesOf(folder: string, order: object): Promise<string[]> {
  return await Array.fromAsync(
    exportLines(new SealedFiles(folder), instance, JSON.stringify(order)),
  );
}

const placeOf = (entry: string) => entry.split(" ")[1];

test("after a loss it seals what comes before the places that are lost", async () => {
  await using place = await temporary();
  const board = new ListBoard(goal);
  board.add("5-0");
  expect(await sealAll(board, place.folder)).toBeUndefined();
  // A person's event of the future, and Redis comes back with what it was before.
  const [events, noted] = [[...board.events], board.noted];
  board.add("99999999999999-0");
  expect(await sealAll(board, place.folder)).toBeUndefined();
  [board.events, board.noted] = [events, noted];
  expect(await sealAll(board, place.folder)).toBeUndefined();
  // Also after one more restart, before which nothing was sealed but the notary's own entry.
  board.add("6-0");
  expect(await sealAll(board, place.folder)).toBeUndefined();
  const { last_place, entries } = await exported(place.folder);
  expect(entries.map(placeOf)).toEqual(["-", "-", "5-0", "99999999999999-0", "-", "6-0"]);
  expect(last_place).toBe("6-0");
});

test("what was removed from the middle of the log is named, and nothing is sealed twice", async () => {
  await using place = await temporary();
  const board = new ListBoard(goal);
  for (const at of [1, 2, 3, 4, 5]) board.add(`${at}-0`);
  expect(await sealAll(board, place.folder)).toBeUndefined();
  board.noted = undefined;
  board.events = board.events.filter(({ place: at }) => !["2-0", "4-0"].includes(at));
  board.add("6-0");
  expect(await sealAll(board, place.folder)).toBeUndefined();
  const { entries, records } = await exported(place.folder);
  expect(entries.map(placeOf)).toEqual([
    "-",
    "-",
    "1-0",
    "2-0",
    "3-0",
    "4-0",
    "5-0",
    "-",
    "-",
    "6-0",
  ]);
  const lost = records.slice(7, 9).map((record) => JSON.parse(JSON.parse(record).event));
  expect(lost).toEqual([
    { first: 3, last: 3 },
    { first: 5, last: 5 },
  ]);
});

test("a volume that is not what Redis or its own checkpoint names ends it, however long its log", async () => {
  await using place = await temporary();
  await using old = await temporary();
  const board = new ListBoard(goal);
  board.add("1-0");
  expect(await sealAll(board, place.folder)).toBeUndefined();
  await cp(place.folder, old.folder, { recursive: true });
  for (let at = 2; at < 300; at++) board.add(`${at}-0`);
  expect(await sealAll(board, place.folder)).toBeUndefined();
  expect(await sealAll(board, old.folder)).toBe(
    "Redis knows a checkpoint of 301 entries, and the proof volume is an older one.",
  );
  // Its log is longer, and it is another one.
  const { noted } = board;
  await using other = await temporary();
  board.noted = undefined;
  board.add("300-0");
  expect(await sealAll(board, other.folder)).toBeUndefined();
  board.noted = noted;
  expect(await sealAll(board, other.folder)).toBe(
    "Redis knows a checkpoint of 301 entries, and the proof volume is of another notary.",
  );
  await writeFile(join(place.folder, "entries/001"), "");
  board.noted = undefined;
  expect(await sealAll(board, place.folder)).toBe(
    "The proof volume has not what its checkpoint is about.",
  );
});

test("a goal is open while one of its claims is, whatever is said of another one", async () => {
  await using place = await temporary();
  const board = new ListBoard(goal);
  const types = ["claim_opened", "claim_terminated", "claim_terminated", "claim_opened"];
  for (const [at, type] of types.entries())
    board.add(`${at + 1}-0`, { type, claim: at < 3 ? "one" : "other" });
  expect(await sealAll(board, place.folder)).toBeUndefined();
  const { note } = JSON.parse((await linesOf(place.folder, { goal })).at(-1) ?? "");
  expect(note).toContain(` events 4 log 6 state open\n`);
});
