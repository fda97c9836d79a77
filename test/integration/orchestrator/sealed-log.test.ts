// The files of the sealed log: whatever a crash leaves, it goes on where it was signed.
import { expect, test } from "bun:test";
import { appendFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  attestationKey,
  exportLines,
  openKey,
  proofKey,
} from "../../../apps/orchestrator/notary/export-proof.ts";
import { OwnKeys } from "../../../apps/orchestrator/notary/own-keys.ts";
import { type LineKind, SealedFiles } from "../../../apps/orchestrator/notary/sealed-files.ts";
import { SealedLog } from "../../../apps/orchestrator/notary/sealed-log.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import {
  isSignedBy,
  newAttestationKey,
  readAttestation,
  readAttestationKey,
} from "../../../lib/proof/attestation.ts";
import { readCheckpoint, readEntry, readRecord } from "../../../lib/proof/formats.ts";
import { isSameHash, leafHash, rootByProof, rootOf } from "../../../lib/proof/merkle.ts";
import { openNote } from "../../../lib/proof/note.ts";
import { commitFile } from "../../../lib/proof/provenance.ts";
import {
  attestedBundle,
  attestedKey,
  commit,
  sampleStatement,
} from "../../support/proof/attested-bundles.ts";
import {
  artefact,
  artefactFile,
  goal,
  newKey,
  nodeReader,
  otherGoal,
} from "../../support/proof/bundle.ts";

const { signer: key, verifier } = newKey();
const signer = new OwnKeys(key);

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "sealed-log-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Every third one is about the one goal, every other one about the other. */
function eventsFrom(from: number, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const about = (from + at) % 3 === 0 ? goal : otherGoal;
    const event = JSON.stringify({ actor: "hand", goal_id: about });
    return { place: `${from + at}-0`, type: "bid_placed", event };
  });
}

async function rootIn(log: SealedLog): Promise<string> {
  const text = openNote(await log.sign(), verifier) ?? "";
  return Buffer.from(readCheckpoint(text)?.root ?? []).toString("hex");
}

async function rootByHand(log: SealedLog): Promise<string> {
  const leaves = [];
  for await (const { entry } of log.all()) leaves.push(leafHash(entry));
  return Buffer.from(await rootOf(leaves.length, nodeReader(leaves))).toString("hex");
}

test("its root is that of all entries, over tiles and after each restart", async () => {
  await using place = await temporary();
  const files = new SealedFiles(place.folder);
  let size = 0;
  for (const more of [1, 254, 1, 1, 255, 256, 700, 3]) {
    const log = await SealedLog.open(files, signer, { size, isWriter: true });
    expect(log.size).toBe(size);
    expect(log.lastPlace).toBe(size === 0 ? "0" : `${size - 1}-0`);
    await log.append(eventsFrom(size, more));
    size += more;
    expect(await rootIn(log)).toBe(await rootByHand(log));
  }
  const log = await SealedLog.open(files, signer, { size, isWriter: false });
  const root = Buffer.from(await rootIn(log), "hex");
  let indexes: number[] = [];
  for await (const { index, entry } of log.entriesOf(goal)) {
    indexes = [...indexes, index];
    const led = rootByProof(leafHash(entry), { index, size, path: await log.prove(index) });
    expect(led !== undefined && isSameHash(led, root)).toBe(true);
    expect(entry).toContain(` ${goal} ${indexes.length} `);
  }
  expect(indexes).toEqual(Array.from({ length: Math.ceil(size / 3) }, (_, at) => at * 3));
});

test("what a crash has left behind the checkpoint is written again, and belongs to no goal", async () => {
  await using place = await temporary();
  const files = new SealedFiles(place.folder);
  const first = await SealedLog.open(files, signer, { size: 0, isWriter: true });
  await first.append(eventsFrom(0, 250));
  const root = await rootIn(first);
  // No checkpoint has these, and they go into the next file and into both goals.
  await first.append(eventsFrom(250, 300));
  await appendFile(join(place.folder, "entries/002"), "sett/1 half a li");
  const again = await SealedLog.open(files, signer, { size: 250, isWriter: true });
  expect(await rootIn(again)).toBe(root);
  // The next events are all about no goal, so that what is left would be taken for the goals'.
  const others = eventsFrom(250, 600).map((one) => ({ ...one, event: "no event" }));
  await again.append(others);
  expect(await rootIn(again)).toBe(await rootByHand(again));
  let found = 0;
  for await (const { entry } of again.entriesOf(goal)) {
    expect(entry).toContain(` ${goal} `);
    found++;
  }
  expect(found).toBe(84);
  const last = await SealedLog.open(files, signer, { size: 850, isWriter: true });
  expect(await rootIn(last)).toBe(await rootIn(again));
});

test("half a line at the beginning of a file goes, also behind a file that was never signed", async () => {
  await using place = await temporary();
  const files = new SealedFiles(place.folder);
  const first = await SealedLog.open(files, signer, { size: 0, isWriter: true });
  await first.append(eventsFrom(0, 512));
  await appendFile(join(place.folder, "records/002"), '{"salt":"half');
  const again = await SealedLog.open(files, signer, { size: 256, isWriter: true });
  await again.append(eventsFrom(256, 300));
  for await (const { record } of again.all()) expect(readRecord(record)).toBeDefined();
});

test("a part of it goes up to the checkpoint that was asked for, and has a bounded size", async () => {
  await using place = await temporary();
  const [files, instance] = [new SealedFiles(place.folder), InstanceName.parse("demo")];
  const key = await openKey(files, instance);
  const log = await SealedLog.open(files, key, { size: 0, isWriter: true });
  const event = "x".repeat(9 * 1024 ** 2);
  await log.append([0, 1, 2].map((at) => ({ place: `${at}-0`, type: "bid_placed", event })));
  const checkpoint = await log.sign();
  await log.append([{ place: "3-0", type: "bid_placed", event: "" }]);
  await files.writeText("checkpoint", await log.sign());
  const ask = async (of: string, from: number, under = checkpoint) => {
    const order = JSON.stringify({ part: { of, checkpoint: under, from } });
    return (await Array.fromAsync(exportLines(files, instance, order))).map((line) => line.length);
  };
  expect(await ask("entries", 0)).toHaveLength(3);
  expect(await ask("entries", 3)).toEqual([]);
  const [first = 0, ...more] = await ask("records", 0);
  expect(first).toBeGreaterThan(event.length);
  expect(more).toEqual([first]);
  expect(await ask("records", 2)).toEqual([first]);
  const foreign = (await SealedLog.open(files, signer, { size: 4, isWriter: false })).sign();
  await expect(ask("records", 0, await foreign)).rejects.toThrow("does not know this checkpoint");
});

test("it attests what the sealed log says of a commit, with one signature, and nothing else", async () => {
  await using place = await temporary();
  const [files, instance] = [new SealedFiles(place.folder), InstanceName.parse("demo")];
  const key = await openKey(files, instance);
  const bundle = await attestedBundle();
  const log = await SealedLog.open(files, key, { size: 0, isWriter: true });
  await log.append(recordsIn(bundle));
  const checkpoint = await log.sign();
  await files.writeText("checkpoint", checkpoint);
  const content = (change: Record<string, string> = {}) =>
    Object.fromEntries(
      [...bundle].flatMap(([name, bytes]) =>
        /^(?:artefacts|facts|commits)\//.test(name)
          ? [[name, Buffer.from(change[name] ?? bytes).toString("base64")]]
          : [],
      ),
    );
  const ask = async (of: Record<string, string>) => {
    const order = JSON.stringify({ attest: { checkpoint, files: of } });
    return await Array.fromAsync(exportLines(files, instance, order));
  };
  const [line = "", ...more] = await ask(content());
  expect(more).toEqual([]);
  const { id, attestation } = JSON.parse(line);
  const said = readAttestation(Buffer.from(attestation));
  expect({ id, statement: said?.statement }).toEqual({
    id: artefact,
    statement: (await sampleStatement()).replace(attestedKey.signer.name, key.name),
  });
  const note = openNote(await attestationKey(files, instance), key.signer) ?? "";
  const publicKey = readAttestationKey(note);
  expect(said && publicKey && isSignedBy(said, publicKey)).toBe(true);
  expect(await ask(content())).toEqual([line]);
  // Another key that attests: what was signed before is signed again.
  await files.writeText("attestation-key", newAttestationKey());
  const [again = ""] = await ask(content());
  const renewed = readAttestation(Buffer.from(JSON.parse(again).attestation));
  const other = readAttestationKey(
    openNote(await attestationKey(files, instance), key.signer) ?? "",
  );
  expect(renewed && other && isSignedBy(renewed, other)).toBe(true);
  expect(await ask(content())).toEqual([again]);
  const stale = JSON.stringify({ attest: { checkpoint, key: "none\n\n", files: {} } });
  await expect(exportLines(files, instance, stale).next()).rejects.toThrow("another key meanwhile");
  // Another content than the log names, or no commit, is nothing that it could attest.
  expect(await ask(content({ [artefactFile]: "{}" }))).toEqual([]);
  expect(await ask(content({ [commitFile(commit)]: "tree x\n" }))).toEqual([]);
  expect(await ask({})).toEqual([]);
});

/** The events are as they were before they were sealed. */
function recordsIn(bundle: ReadonlyMap<string, Uint8Array>) {
  const lines = Buffer.from(bundle.get("records.jsonl") ?? [])
    .toString()
    .split("\n");
  return lines.flatMap((line) => readRecord(line) ?? []);
}

test("only the notary makes a key", async () => {
  await using place = await temporary();
  const [files, instance] = [new SealedFiles(place.folder), InstanceName.parse("demo")];
  await expect(proofKey(files, instance)).rejects.toThrow("sealed nothing yet");
  const head = exportLines(files, instance, JSON.stringify({ head: true }));
  await expect(head.next()).rejects.toThrow("sealed nothing yet");
  await expect(attestationKey(files, instance)).rejects.toThrow("sealed nothing yet");
  await openKey(files, instance);
  expect(await proofKey(files, instance)).toStartWith("demo.sett.invalid/");
  for (const name of ["key", "attestation-key"])
    expect((await stat(join(place.folder, name))).mode & 0o777).toBe(0o600);
});

/** Its writes fail from one of them on, as on a volume that is full. */
class FullFiles extends SealedFiles {
  left: number;

  constructor(folder: string, left: number) {
    super(folder);
    this.left = left;
  }

  override async cutLines(kind: LineKind, file: number, lines: readonly string[]): Promise<void> {
    if (this.left-- <= 0) throw new Error("full");
    await super.cutLines(kind, file, lines);
  }

  override async writeIndexes(goal: string, indexes: readonly number[]): Promise<void> {
    if (this.left-- <= 0) throw new Error("full");
    await super.writeIndexes(goal, indexes);
  }
}

test("wherever the removal of what a crash has left is cut short, the next one ends it", async () => {
  let [isCut, left] = [true, 0];
  for (; isCut; left++) {
    await using place = await temporary();
    const files = new SealedFiles(place.folder);
    const first = await SealedLog.open(files, signer, { size: 0, isWriter: true });
    await first.append(eventsFrom(0, 256));
    await first.append(eventsFrom(256, 300));
    const full = new FullFiles(place.folder, left);
    const opening = SealedLog.open(full, signer, { size: 256, isWriter: true });
    isCut = await opening.then(
      () => false,
      () => true,
    );
    const again = await SealedLog.open(files, signer, { size: 256, isWriter: true });
    await again.append(eventsFrom(256, 3));
    const entries = await Array.fromAsync(again.all(256), ({ entry }) => readEntry(entry));
    expect(entries.map((entry) => [entry?.place, entry?.number])).toEqual([
      ["256-0", 171],
      ["257-0", 172],
      ["258-0", 87],
    ]);
    await again.append(eventsFrom(259, 253 + 20));
    expect(await Array.fromAsync(again.all(512))).toHaveLength(20);
    expect(await rootIn(again)).toBe(await rootByHand(again));
  }
  expect(left).toBe(7);
});
