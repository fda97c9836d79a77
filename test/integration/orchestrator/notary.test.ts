// The notary seals the log of a blackboard, and says what is wrong where it cannot.
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmod, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepAnchor } from "../../../apps/orchestrator/notary/anchors.ts";
import { exportLines, openKey, proofKey } from "../../../apps/orchestrator/notary/export-proof.ts";
import { Notary } from "../../../apps/orchestrator/notary/notary.ts";
import { SealedFiles } from "../../../apps/orchestrator/notary/sealed-files.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { newPrivateKey, verifierKeyText } from "../../../lib/proof/note.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../support/blackboard/in-memory.ts";
import { postGoal } from "../../support/blackboard/scene.ts";
import { errorOf } from "../../support/error-of.ts";
import { newKey } from "../../support/proof/bundle.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");
const log = createJsonLog(() => {}, systemClock.now);

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "notary-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** It seals, and runs until it is disposed of. */
async function startNotary(board: Blackboard, folder: string) {
  const started = await tryNotary(board, folder);
  await waitFor("a notary that seals", () => started.notary.problem === undefined);
  return started;
}

async function tryNotary(board: Blackboard, folder: string) {
  const files = new SealedFiles(folder);
  await openKey(files, instance);
  const about = { instance, version: "0.1.0" };
  // Redis' clock is hours ahead, so that all that is there is old enough.
  const later = Object.assign(Object.create(board), {
    time: async () => (await board.time()) + 3_600_000,
  });
  const notary = new Notary({ board: later, files, clock: systemClock, log, about });
  const controller = new AbortController();
  const ended = notary.run(controller.signal).then(
    () => undefined,
    (error: Error) => error,
  );
  const stop = async () => {
    controller.abort();
    return await ended;
  };
  return { notary, files, stop, ended, [Symbol.asyncDispose]: async () => void (await stop()) };
}

async function sealed(files: SealedFiles): Promise<{ entry: string; record: string }[]> {
  const ask = async (order: object) => {
    const lines = await Array.fromAsync(exportLines(files, instance, JSON.stringify(order)));
    return lines.map((line) => JSON.parse(line));
  };
  const [{ checkpoint }] = await ask({ head: true });
  const part = async (of: string) => await ask({ part: { of, checkpoint, from: 0 } });
  const [entries, records] = [await part("entries"), await part("records")];
  return entries.map(({ entry }, at) => ({ entry, record: records[at].record }));
}

/** The types of what is sealed, where all that the log has is. */
async function sealedTypes(board: Blackboard, files: SealedFiles): Promise<string[]> {
  const end = await board.endOfEvents();
  return await waitFor("the end of the log to be sealed", async () => {
    const entries = await sealed(files).catch(() => []);
    const words = entries.map(({ entry }) => entry.split(" "));
    return words.some(([, place]) => place === end)
      ? words.map(([, , type = ""]) => type)
      : undefined;
  });
}

describe("the notary", () => {
  test("seals what was there before it, says so, and goes on with what comes", async () => {
    await using place = await temporary();
    const bench = blackboardInMemory({ instance });
    await using board = await bench.open();
    await postGoal(board);
    await using running = await startNotary(board, place.folder);
    expect(await sealedTypes(board, running.files)).toEqual([
      "notary_began",
      "notary_late",
      "artefact_created",
    ]);
    await postGoal(board);
    expect(await sealedTypes(board, running.files)).toHaveLength(4);
    expect(running.notary.problem).toBeUndefined();
  });

  test("goes on after a restart, and ends where another one has begun", async () => {
    await using place = await temporary();
    const bench = blackboardInMemory({ instance });
    await using board = await bench.open();
    await using first = await startNotary(board, place.folder);
    await postGoal(board);
    await sealedTypes(board, first.files);
    await using copy = await temporary();
    await cp(place.folder, copy.folder, { recursive: true });
    await using second = await startNotary(board, copy.folder);
    // The first one seals no more; with the next event it finds that out.
    await postGoal(board);
    const end = await first.ended;
    expect(end?.message).toBe("Another notary of this instance has started.");
    expect(await sealedTypes(board, second.files)).toEqual([
      "notary_began",
      "artefact_created",
      "artefact_created",
    ]);
  });

  test("has one key, however many begin at once on an empty volume", async () => {
    await using place = await temporary();
    const folder = join(place.folder, "new");
    const begin = () => openKey(new SealedFiles(folder), instance);
    const keys = await Promise.all(Array.from({ length: 8 }, begin));
    const [first, ...others] = new Set(keys.map(({ signer }) => verifierKeyText(signer)));
    expect(others).toEqual([]);
    // One that found none, and comes to write its own when another one has written.
    await new SealedFiles(folder).createText("key", newPrivateKey());
    expect(await proofKey(new SealedFiles(folder), instance)).toBe(first ?? "");
    expect((await readdir(folder)).toSorted()).toEqual(["attestation-key", "key"]);
  });

  test("makes no key where another one is pinned, or a log is there whose key is gone, and takes none that others can read", async () => {
    await using place = await temporary();
    const files = new SealedFiles(place.folder);
    const pinned = verifierKeyText(newKey().verifier);
    const wrong = async () => (await errorOf(openKey(files, instance, pinned))).message;
    expect(await wrong()).toBe("The proof volume has not the key that `proof.key` pins.");
    expect(await readdir(place.folder)).toEqual([]);
    const own = verifierKeyText((await openKey(files, instance)).signer);
    expect(await wrong()).toBe(`The notary has another key than \`proof.key\` pins: ${own}`);
    expect(verifierKeyText((await openKey(files, instance, own)).signer)).toBe(own);

    for (const name of ["key", "attestation-key"]) {
      await chmod(join(place.folder, name), 0o604);
      expect((await errorOf(openKey(files, instance))).message).toBe(
        `Others can read ${place.folder}/${name}, a private key.`,
      );
      // Where a cluster gives a volume to a group, its files are the group's.
      await chmod(join(place.folder, name), 0o660);
    }
    await openKey(files, instance);

    await files.writeText("checkpoint", "a checkpoint\n");
    await rm(join(place.folder, "key"));
    expect((await errorOf(openKey(files, instance))).message).toBe(
      "The proof volume has a log, and its key is gone.",
    );
    expect(await readdir(place.folder)).not.toContain("key");
  });

  test("seals once what others have seen, also where it is started again, and says so to Redis", async () => {
    await using place = await temporary();
    const bench = blackboardInMemory({ instance });
    await using board = await bench.open();
    const first = await startNotary(board, place.folder);
    const ask = async (order: object) => {
      const text = JSON.stringify(order);
      const lines = await Array.fromAsync(exportLines(first.files, instance, text));
      return lines.map((line) => JSON.parse(line));
    };
    const [{ checkpoint }] = await ask({ head: true });
    const seen = { checkpoint, at: "2026-11-30T10:00:00.000Z", tsr: "AAAA" };
    const keep = (order: object) => keepAnchor(first.files, instance, JSON.stringify(order));
    expect(await keep(seen)).toEqual({ size: 1, index: 1 });
    expect((await board.readAnchored())?.size).toBe(1);
    // Another one of the same checkpoint, of none of this log, and what is no order.
    expect(await errorOf(keep(seen))).toMatchObject({ code: "not-ready" });
    const strange = await errorOf(keep({ ...seen, checkpoint: `${checkpoint}— x AAAAAAA=\n` }));
    expect(strange.message).toBe("The notary does not know this checkpoint.");
    expect(await errorOf(keep({ ...seen, at: "now" }))).toMatchObject({ code: "usage" });
    await first.stop();

    await board.noteAnchored(undefined);
    await using again = await startNotary(board, place.folder);
    expect((await board.readAnchored())?.size).toBe(1);
    await postGoal(board);
    expect(await sealedTypes(board, again.files)).toEqual([
      ...["notary_began", "notary_anchored", "artefact_created"],
    ]);
    const [, anchored] = await sealed(again.files);
    const { at, size, tsr } = JSON.parse(JSON.parse(anchored?.record ?? "").event);
    expect({ at, size }).toEqual({ at: seen.at, size: 1 });
    expect(tsr).toBe(createHash("sha256").update(Buffer.from("AAAA", "base64")).digest("hex"));
    const [{ checkpoint: now }] = await ask({ head: true });
    const lines = await ask({ anchors: { checkpoint: now, first: 2, last: 2 } });
    expect(lines).toMatchObject([{ size: 1, checkpoint, tsr: "AAAA" }]);
  });

  test("names what Redis has lost of what was sealed, and keeps it", async () => {
    await using place = await temporary();
    const before = blackboardInMemory({ instance });
    const board = await before.open();
    const first = await startNotary(board, place.folder);
    await postGoal(board);
    await sealedTypes(board, first.files);
    await first.stop();
    // A blackboard without any of it.
    const bench = blackboardInMemory({ instance });
    await using empty = await bench.open();
    await using again = await startNotary(empty, place.folder);
    await postGoal(empty);
    expect(await sealedTypes(empty, again.files)).toEqual([
      "notary_began",
      "artefact_created",
      "notary_lost",
      "artefact_created",
    ]);
    const lost = (await sealed(again.files)).at(2);
    expect(JSON.parse(JSON.parse(lost?.record ?? "").event)).toEqual({ first: 1, last: 1 });
  });

  test("goes on where it ended between Redis and its volume, and refuses an older volume", async () => {
    await using place = await temporary();
    await using old = await temporary();
    const bench = blackboardInMemory({ instance });
    await using board = await bench.open();
    const first = await startNotary(board, place.folder);
    await postGoal(board);
    await sealedTypes(board, first.files);
    await cp(place.folder, old.folder, { recursive: true });
    await postGoal(board);
    await sealedTypes(board, first.files);
    await first.stop();
    // Its checkpoint is the older one, and all that the newer one is about is there.
    await cp(join(old.folder, "checkpoint"), join(place.folder, "checkpoint"));
    await using second = await startNotary(board, place.folder);
    expect(await sealed(second.files)).toHaveLength(3);
    await second.stop();
    await using third = await tryNotary(board, old.folder);
    expect((await third.ended)?.message).toContain("an older one");
    await using stranger = await temporary();
    await using fourth = await tryNotary(board, stranger.folder);
    expect((await fourth.ended)?.message).toContain("of another notary");
  });
});
