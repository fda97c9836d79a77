// Another key takes the place of the notary's, also where it is ended in between. Redis is a list
// here.
import { expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { keepAnchor } from "../../../apps/orchestrator/notary/anchors.ts";
import { exportLines, openKey } from "../../../apps/orchestrator/notary/export-proof.ts";
import { Notary } from "../../../apps/orchestrator/notary/notary.ts";
import { makeNextKeys } from "../../../apps/orchestrator/notary/own-keys.ts";
import { rotateKey } from "../../../apps/orchestrator/notary/rotate-key.ts";
import { type LineKind, SealedFiles } from "../../../apps/orchestrator/notary/sealed-files.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { readNote, readVerifierKey, verifierKeyText } from "../../../lib/proof/note.ts";
import { verifyBundle } from "../../../lib/proof/verify.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { errorOf } from "../../support/error-of.ts";
import { asBundle } from "../../support/proof/archive.ts";
import { goal } from "../../support/proof/bundle.ts";
import { ListBoard } from "../../support/proof/list-board.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "key-rotation-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** It goes on until it is disposed of, or ends. `ended`: its last sentence. */
async function run(board: ListBoard, files: SealedFiles) {
  await openKey(files, instance);
  const log = createJsonLog(() => {}, systemClock.now);
  const about = { instance, version: "0.1.0" };
  const notary = new Notary({ board, files, clock: systemClock, log, about });
  const controller = new AbortController();
  const ended = notary.run(controller.signal).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const dispose = async () => {
    controller.abort();
    await ended;
  };
  return { notary, ended, [Symbol.asyncDispose]: dispose };
}

async function sealAll(board: ListBoard, files: SealedFiles): Promise<void> {
  await using running = await run(board, files);
  await waitFor("all to be sealed", async () => {
    const isOpen = (await files.readText("next-keys")) !== undefined;
    const { entries = "" } = (await exported(files).catch(() => undefined)) ?? {};
    const place = board.events.at(-1)?.place ?? "";
    return running.notary.problem === undefined && !isOpen && entries.includes(` ${place} `);
  });
}

async function linesOf(files: SealedFiles, order: object) {
  const lines = await Array.fromAsync(exportLines(files, instance, JSON.stringify(order)));
  return lines.map((line) => JSON.parse(line));
}

/** The files of a bundle of all. */
async function exported(files: SealedFiles): Promise<Record<string, string>> {
  const [{ checkpoint, rotations }] = await linesOf(files, { head: true });
  const part = (of: string) => linesOf(files, { part: { of, checkpoint, from: 0 } });
  const entries = (await part("entries")).map(({ entry }, index) => `${index} ${entry}`);
  const records = (await part("records")).map(({ record }) => `${record}\n`);
  const shown = rotations.flatMap(({ size, ...texts }: { size: number }) =>
    Object.entries(texts).map(([name, text]) => [`rotations/${size}/${name}`, text]),
  );
  const whole = { checkpoint, entries: entries.join(""), "records.jsonl": records.join("") };
  return { ...whole, ...Object.fromEntries(shown) };
}

async function verified(files: SealedFiles, key: string, receipts: string[] = []) {
  const made = Object.entries(await exported(files));
  const bundle = await asBundle(new Map(made.map(([name, text]) => [name, Buffer.from(text)])));
  const trusted = readVerifierKey(key);
  if (trusted === undefined) throw new Error("no key");
  return await verifyBundle(bundle, trusted, undefined, undefined, receipts);
}

const keyIn = async (files: SealedFiles) =>
  verifierKeyText((await openKey(files, instance)).signer);

/** From one of its writes on, all fail, as where the program is killed. */
class EndingFiles extends SealedFiles {
  left: number;

  constructor(folder: string, left: number) {
    super(folder);
    this.left = left;
  }

  count(): void {
    if (this.left-- <= 0) throw new Error("ended");
  }

  override async appendLines(kind: LineKind, file: number, lines: readonly string[]) {
    this.count();
    await super.appendLines(kind, file, lines);
  }

  override async appendIndexes(about: string, indexes: readonly number[]) {
    this.count();
    await super.appendIndexes(about, indexes);
  }

  override async writeText(...order: Parameters<SealedFiles["writeText"]>) {
    this.count();
    await super.writeText(...order);
  }

  override async removeText(...order: Parameters<SealedFiles["removeText"]>) {
    this.count();
    await super.removeText(...order);
  }
}

test("wherever the notary is ended while another key takes over, it goes on with one of both, and either key shows all", async () => {
  let [isCut, left] = [true, 0];
  for (; isCut; left++) {
    await using place = await temporary();
    const files = new SealedFiles(place.folder);
    const board = new ListBoard(goal);
    board.add("1-0");
    await sealAll(board, files);
    const before = await keyIn(files);
    const oldKey = (await files.readText("key")) ?? "";
    const attested = await files.readText("attestation-key");
    await makeNextKeys(files);
    const ending = new EndingFiles(place.folder, left);
    {
      await using running = await run(board, ending);
      await waitFor("the end of it", async () => {
        const isDone = (await files.readText("next-keys")) === undefined;
        return isDone || (running.notary.problem ?? "") === "ended";
      });
    }
    isCut = ending.left < 0;
    board.add("2-0");
    await sealAll(board, files);
    const after = await keyIn(files);
    expect(after).not.toBe(before);
    expect(await files.readText("attestation-key")).not.toBe(attested);
    for (const key of [before, after]) {
      const { problems, keys } = await verified(files, key);
      expect({ left, problems }).toEqual({ left, problems: [] });
      expect(keys.rotations.map(({ to }) => verifierKeyText(to))).toEqual([after]);
    }
    // The old private key is nowhere.
    const content = await $`cat ${place.folder}/key ${place.folder}/attestation-key`.text();
    expect(content).not.toContain(oldKey.split("\n")[1] ?? "");
    expect(content.match(/BEGIN PRIVATE KEY/g)).toHaveLength(2);
    expect((await readdir(place.folder)).toSorted()).toEqual(
      ["anchors", "attestation-key", "checkpoint", "entries", "goals", "key", "records"].filter(
        (name) => name !== "anchors",
      ),
    );
  }
  expect(left).toBeGreaterThan(6);
}, 300_000);

test("what was signed before stays shown, and a volume of before is an older one", async () => {
  await using place = await temporary();
  await using old = await temporary();
  const files = new SealedFiles(place.folder);
  const board = new ListBoard(goal);
  board.add("1-0");
  await sealAll(board, files);
  const first = await keyIn(files);
  const [{ checkpoint }] = await linesOf(files, { head: true });
  const noted = board.noted;
  await cp(place.folder, old.folder, { recursive: true });
  {
    await using _running = await run(board, files);
    expect(await rotateKey(files, instance)).toMatchObject({ size: 4 });
    const second = await rotateKey(files, instance);
    expect(second.key).toBe(await keyIn(files));
    // What others have seen under the first key is sealed under the third.
    const seen = { checkpoint, at: "2026-11-30T10:00:00.000Z", tsr: "AAAA" };
    expect(await keepAnchor(files, instance, JSON.stringify(seen))).toMatchObject({ size: 3 });
    // The note that both have signed is the only one of its size.
    const text = await readFile(join(place.folder, "key"), "utf8");
    const handover = JSON.parse(text.split("\n").at(-2) ?? "").checkpoint;
    expect(readNote(handover)?.signatures).toHaveLength(2);
    const single = handover.replace(/— [^\n]*\n$/, "");
    const strange = await errorOf(
      keepAnchor(files, instance, JSON.stringify({ ...seen, checkpoint: single })),
    );
    expect(strange.message).toBe("The notary does not know this checkpoint.");
  }
  board.add("2-0");
  await sealAll(board, files);
  expect((await verified(files, first)).problems).toEqual([]);
  // It pins the first key, and the notary has one that this one has led to.
  await openKey(files, instance, first);

  await using older = await run(board, new SealedFiles(old.folder));
  expect(await older.ended).toContain("the proof volume is an older one");
  // Redis comes back with what it knew before the first exchange.
  board.noted = noted;
  await sealAll(board, files);
  const { problems, keys } = await verified(files, first);
  expect([problems, keys.rotations.length]).toEqual([[], 2]);
}, 120_000);

test("where the volume is lost, no log begins until a person gives the old one up, and the new one names it", async () => {
  await using place = await temporary();
  await using other = await temporary();
  const [files, empty] = [new SealedFiles(place.folder), new SealedFiles(other.folder)];
  const board = new ListBoard(goal);
  board.add("1-0");
  await sealAll(board, files);
  const first = await keyIn(files);
  {
    await using running = await run(board, empty);
    expect(await running.ended).toContain("the proof volume is of another notary");
  }
  const { checkpoint = "" } = board.noted ?? {};
  board.noted = undefined;
  board.former = { checkpoint, by: "person:Ada", reason: "A disk", at: "2026-11-30T10:00:00.000Z" };
  {
    await using running = await run(board, files);
    expect(await running.ended).toBe("A person has given up the log of this proof volume.");
  }
  await sealAll(board, empty);
  const after = { origin: first.split("+")[0] ?? "", size: 3 };
  const found = await verified(empty, await keyIn(empty));
  expect([found.problems, found.after]).toEqual([[], after]);
  const { event } = JSON.parse((await exported(empty))["records.jsonl"]?.split("\n")[0] ?? "");
  expect(JSON.parse(event).after).toMatchObject(board.former);
  const { note } = (await linesOf(empty, { goal })).at(-1) ?? {};
  expect(note).toContain(` state closed after ${after.origin} 3\n`);
  // The old key has signed nothing of it.
  const codes = (await verified(empty, first)).problems.map(({ code }) => code);
  expect(codes).toContain("signature");
});
