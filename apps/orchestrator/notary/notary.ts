// The notary: it follows the log, and seals what is old enough to be on Redis' disk. No
// claim waits for it.
import { randomUUID } from "node:crypto";
import type { Clock } from "../../../lib/async/clock.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import type { NotaryBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { FormerProof, RawEvent } from "../../../lib/blackboard/port/proof.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import {
  beganType,
  jsonObject,
  keyType,
  lostType,
  ownPlace,
  readEntry,
  readRecord,
  type SealedRecord,
} from "../../../lib/proof/formats.ts";
import { signNote, verifierKeyText } from "../../../lib/proof/note.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { newAnchors, newestAnchor, noteSealed, recordOf } from "./anchors.ts";
import { type NextKeys, nextKeys, type OwnKeys, ownKeys } from "./own-keys.ts";
import type { SealedFiles } from "./sealed-files.ts";
import { checkpointTextAt, SealedLog } from "./sealed-log.ts";

/** Redis writes its log to disk each second; what is younger may be lost with it. */
const minAgeMs = 3_000;
const everyMs = 1_000;
const pageSize = 1_000;

type Deps = {
  board: Omit<NotaryBlackboard, typeof Symbol.asyncDispose>;
  files: SealedFiles;
  clock: Pick<Clock, "passedMs">;
  log: JsonLog;
  about: { instance: InstanceName; version: string };
};

export class Notary {
  readonly #deps: Deps;
  /** Another notary that starts takes the right to seal from this one. */
  readonly #holder = randomUUID();
  #open: { keys: OwnKeys; sealed: SealedLog } | undefined;
  /** An end of the log, and when it was read. */
  #seen: { place: string; atMs: number } | undefined;
  #problem: string | undefined = "It has not sealed anything yet.";

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A sentence while nothing is sealed. */
  get problem(): string | undefined {
    return this.#problem ?? this.#deps.board.contactProblem();
  }

  /** Until the signal; throws where a person has to help, or another notary has taken its place. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#open ??= await this.#begin();
        const { keys, sealed } = this.#open;
        await this.#sealOn(sealed, signal);
        await this.#sealAnchors(sealed);
        await this.#exchangeKey(keys, sealed);
        this.#problem = undefined;
      } catch (error) {
        if (error instanceof CannotGoOn) throw error;
        this.#open = undefined;
        if (this.#problem !== messageOf(error))
          this.#deps.log.error("Nothing is sealed", { error: messageOf(error) });
        this.#problem = messageOf(error);
      }
      await sleep(everyMs, signal);
    }
  }

  /** Agrees with Redis on what was sealed. */
  async #begin(): Promise<{ keys: OwnKeys; sealed: SealedLog }> {
    const { board, files, about } = this.#deps;
    const keys = await ownKeys(files, about.instance);
    const signed = new SignedHere(files, keys, await nextKeys(files, keys));
    const noted = await board.takeProof(this.#holder);
    const former = await board.readFormerProof();
    if (former?.checkpoint.startsWith(`${keys.name}\n`))
      throw new CannotGoOn(
        "A person has given up the log of this proof volume.",
        "Keep a copy of the volume, and remove it: the next one begins a new log.",
      );
    const note = await files.readText("checkpoint");
    const own = sizeOf(note, keys);
    if (noted !== undefined) await requireSame(noted, own, signed);
    if (note !== undefined && !(await signed.has(note, own)))
      throw new CannotGoOn(
        "The proof volume has not what its checkpoint is about.",
        "Restore the volume from a back-up.",
      );
    if (noted !== undefined && noted.size > own)
      await files.writeText("checkpoint", noted.checkpoint);
    const size = Math.max(own, noted?.size ?? 0);
    const sealed = await SealedLog.open(files, keys, { size, isWriter: true });
    if (await this.#endExchange(keys, sealed)) return await this.#begin();
    if (size === 0) await sealed.append(await this.#beginning(former));
    else await this.#noteLost(sealed, noted?.size ?? 0);
    await this.#seal(sealed, noted?.size ?? 0);
    await board.noteAnchored(await newestAnchor(files));
    return { keys, sealed };
  }

  /** `former`: a log that was lost, which the new one names. */
  async #beginning(former: FormerProof | undefined): Promise<Omit<SealedRecord, "salt">[]> {
    const { board, about } = this.#deps;
    const [first] = await board.readRawEvents("0", 1);
    const [origin = "", size = ""] = former?.checkpoint.split("\n") ?? [];
    const after = former === undefined ? {} : { after: { origin, size, ...former } };
    const began = ownRecord(beganType, { ...about, ...after });
    return first === undefined ? [began] : [began, ownRecord("notary_late", { from: first.place })];
  }

  /** Entries that Redis has not noted as sealed may be of events that it has lost. */
  async #noteLost(sealed: SealedLog, from: number): Promise<void> {
    const suspects: { index: number; place: string }[] = [];
    for await (const { index, entry } of sealed.all(from)) {
      const place = readEntry(entry)?.place ?? ownPlace;
      if (place !== ownPlace) suspects.push({ index, place });
    }
    // After an earlier loss the places of sealed events do not rise.
    const places = suspects
      .map(({ place }) => place)
      .toSorted((one, other) => (isLater(one, other) ? 1 : -1));
    const there = await this.#placesFrom(places[0], places.at(-1));
    const lost: { first: number; last: number }[] = [];
    let isThere = true;
    for (const { index, place } of suspects) {
      const before = lost.at(-1);
      if (there.has(place)) isThere = true;
      else if (isThere || before === undefined) {
        lost.push({ first: index, last: index });
        isThere = false;
      } else before.last = index;
    }
    if (lost.length === 0) return;
    this.#deps.log.warn("Redis has lost events that were sealed", { lost });
    await sealed.append(lost.map((one) => ownRecord(lostType, one)));
  }

  async #placesFrom(first: string | undefined, last: string | undefined): Promise<Set<string>> {
    const places = new Set<string>();
    if (first === undefined || last === undefined) return places;
    for (let after = placeBefore(first); ; ) {
      const page = await this.#deps.board.readRawEvents(after, pageSize);
      for (const { place } of page) places.add(place);
      after = page.at(-1)?.place ?? last;
      if (page.length < pageSize || isLater(after, last)) return places;
    }
  }

  async #sealOn(sealed: SealedLog, signal: AbortSignal): Promise<void> {
    for (let isMore = true; isMore && !signal.aborted; ) {
      const page = await this.#deps.board.readRawEvents(sealed.lastPlace, pageSize);
      const old = page.slice(0, await this.#countOld(page));
      if (old.length === 0) return;
      isMore = page.length === pageSize && old.length === page.length;
      const before = sealed.size;
      await sealed.append(old);
      await this.#seal(sealed, before);
      // A long log takes its time, and it is being sealed.
      this.#problem = undefined;
    }
  }

  /** A notary that is ended in between seals one twice; the second one counts. */
  async #sealAnchors(sealed: SealedLog): Promise<void> {
    const { board, files } = this.#deps;
    for (const anchor of await newAnchors(files)) {
      const index = sealed.size;
      await sealed.append([recordOf(anchor)]);
      await this.#seal(sealed, index);
      await noteSealed(files, anchor, index);
      await board.noteAnchored(anchor);
    }
  }

  /**
   * Another key takes over, where a person has asked for it. A notary that is ended in between goes
   * on where it was: up to the checkpoint of both keys it begins again, behind it `#endExchange`
   * ends it.
   */
  async #exchangeKey(keys: OwnKeys, sealed: SealedLog): Promise<void> {
    const next = await nextKeys(this.#deps.files, keys);
    if (next === undefined) return;
    const before = sealed.size;
    const [from, to] = [keys.signer, next.signer].map(verifierKeyText);
    await sealed.append([ownRecord(keyType, { from, to })]);
    const text = await sealed.checkpointText();
    await this.#keep(sealed, before, signNote(text, keys.signer, next.signer));
    await this.#endExchange(keys, sealed);
    this.#open = undefined;
  }

  /** The old private keys are gone then. False where the last entry names no next key. */
  async #endExchange(keys: OwnKeys, sealed: SealedLog): Promise<boolean> {
    const { files, log } = this.#deps;
    const next = sealed.size === 0 ? undefined : await nextKeys(files, keys);
    if (next === undefined) return false;
    const to = verifierKeyText(next.signer);
    const { record } = await sealed.read(sealed.size - 1);
    const { place, type, event = "" } = readRecord(record) ?? {};
    if (place !== ownPlace || type !== keyType || jsonObject(event)?.to !== to) return false;
    if (verifierKeyText(keys.signer) !== to) {
      const checkpoint = (await files.readText("checkpoint")) ?? "";
      await files.writeText("attestation-key", next.texts.attestation_key);
      await files.writeText("key", keys.fileAfter(next, { size: sealed.size, checkpoint }));
    }
    await files.removeText("next-keys");
    log.info("Another key has taken over", { size: sealed.size, key: to });
    return true;
  }

  /** By Redis' clock, or by the notary's: a person may have written an event of the future. */
  async #countOld(page: readonly RawEvent[]): Promise<number> {
    const { board, clock } = this.#deps;
    const nowMs = clock.passedMs();
    const end = page.at(-1)?.place;
    const seen = this.#seen;
    const isOld = seen !== undefined && nowMs - seen.atMs >= minAgeMs;
    if (end !== undefined && (seen === undefined || isOld))
      this.#seen = { place: end, atMs: nowMs };
    const until = (await board.time()) - minAgeMs;
    const young = page.findIndex(
      ({ place }) => Number.parseInt(place, 10) > until && !(isOld && !isLater(place, seen.place)),
    );
    return young < 0 ? page.length : young;
  }

  async #seal(sealed: SealedLog, before: number): Promise<void> {
    if (sealed.size > before) await this.#keep(sealed, before, await sealed.sign());
  }

  async #keep(sealed: SealedLog, before: number, checkpoint: string): Promise<void> {
    const { board, files } = this.#deps;
    const { outcome } = await board.noteCheckpoint({
      ...{ holder: this.#holder, before },
      sealed: { size: sealed.size, checkpoint, place: sealed.lastPlace },
    });
    if (outcome === "fenced")
      throw new CannotGoOn(
        "Another notary of this instance has started.",
        "One of the two is enough.",
      );
    if (outcome === "moved")
      throw new SettError("not-ready", "Redis has come back with another checkpoint.");
    await files.writeText("checkpoint", checkpoint);
  }
}

/** What the notary of the volume has signed, also while another key takes over. */
class SignedHere {
  readonly #files: SealedFiles;
  readonly keys: OwnKeys;
  readonly #next: NextKeys | undefined;

  constructor(files: SealedFiles, keys: OwnKeys, next: NextKeys | undefined) {
    this.#files = files;
    this.keys = keys;
    this.#next = next;
  }

  /** It is about these entries, and the volume has them. */
  async has(note: string, size: number): Promise<boolean> {
    const text = await checkpointTextAt(size, this.#files, this.keys);
    if (text === undefined) return false;
    const next = this.#next?.signer;
    const isBoth = next !== undefined && note === signNote(text, this.keys.signer, next);
    return isBoth || this.keys.isOwn(note, text);
  }
}

function sizeOf(note: string | undefined, keys: OwnKeys): number {
  const size = keys.sizeIn(note);
  if (note === undefined) return 0;
  if (size !== undefined) return size;
  throw new CannotGoOn(
    "The checkpoint of the proof volume is not of its own key.",
    "Restore the volume from a back-up.",
  );
}

/**
 * The notary may have been ended after Redis knew a checkpoint, and before its volume did: that
 * what the checkpoint is about is there all the same.
 */
async function requireSame(
  { size, checkpoint }: { size: number; checkpoint: string },
  own: number,
  signed: SignedHere,
): Promise<void> {
  const { keys } = signed;
  const isOwn = keys.sizeIn(checkpoint) === size;
  if (isOwn && (await signed.has(checkpoint, size))) return;
  // A later key of this log, which an older copy of the volume does not have.
  const isOfLog = isOwn || checkpoint.startsWith(`${keys.name}\n`);
  const [other, older] = [isOwn ? "of another log" : "of another notary", "an older one"];
  const what = isOfLog && size > own ? older : other;
  throw new CannotGoOn(
    `Redis knows a checkpoint of ${size} entries, and the proof volume is ${what}.`,
    "docs/guides/proof.md says how to go on.",
  );
}

/** Trying again does not help. */
class CannotGoOn extends SettError {
  constructor(sentence: string, hint: string) {
    super("not-ready", sentence, { hint });
  }
}

function ownRecord(type: string, event: object): Omit<SealedRecord, "salt"> {
  return { place: ownPlace, type, event: JSON.stringify(event) };
}

function placeBefore(place: string): string {
  const [ms = "0", number = "0"] = place.split("-");
  return number === "0"
    ? `${BigInt(ms) - 1n}-18446744073709551615`
    : `${ms}-${BigInt(number) - 1n}`;
}
