// Gathers what shows all about a goal, or about all goals, to someone who trusts nothing here.
import { Buffer } from "node:buffer";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { Seal } from "../../../lib/core/story.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { FactDigest } from "../../../lib/model/fact.ts";
import { ArtefactId, GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import { readErasure } from "../../../lib/proof/erasures-in-log.ts";
import { goalOf, jsonObject, readEntry, readRecord } from "../../../lib/proof/formats.ts";
import { artefactFile, namedContent } from "../../../lib/proof/named-content.ts";
import { askService } from "../instance/ask-service.ts";
import { isServing } from "../instance/place.ts";
import type { Shell } from "../terminal/shell.ts";
import { BundleWriter } from "./bundle-file.ts";
import { sealBy } from "./story-sources.ts";

const Head = z.object({
  checkpoint: z.string(),
  size: z.number(),
  last_place: z.string(),
  key: z.string(),
});
const Entry = z.object({ entry: z.string() });
const Recorded = z.object({ record: z.string() });
const Line = z.object({ index: z.number(), ...Entry.shape, ...Recorded.shape, proof: z.string() });
const Note = z.object({ note: z.string() });

/** The notary seals nothing that is younger than three seconds. */
export const maxWaitMs = 20_000;
export const lookEveryMs = 500;

export type ContentBoard = Pick<ReadingBoard, "endOfEvents" | "readRecord" | "readFacts">;
type Order = { instance: InstanceName; goal: GoalId | undefined };
type Head = z.infer<typeof Head>;
/**
 * `files`: those that records name → the goals of these records, or `-`. `erased`: those whose
 * content a person has had erased.
 */
type Named = { files: Map<string, Set<string>>; erased: Set<string> };
export type Exported = {
  key: string;
  entries: number;
  isBehind: boolean;
  missing: number;
  erased: number;
};
type Added = { checkpoint: string; entries: number; named: Named };

/**
 * `isBehind`: not all that was on record when it began is sealed yet. `missing`: how many of the
 * artefacts and rules that the log names are on no board. `onSealed` gets the checkpoint before the
 * file is kept. Throws `not-ready`, and `output-failed`.
 */
export async function exportBundle(
  shell: Shell,
  board: ContentBoard,
  { instance, goal, path }: Order & { path: string },
  onSealed: (checkpoint: string) => Promise<void>,
): Promise<Exported> {
  const { head, isBehind } = await untilSealed(shell, instance, await board.endOfEvents());
  using bundle = new BundleWriter(path);
  bundle.add("README", readme);
  const { checkpoint, entries, named } =
    goal === undefined
      ? await addAll(shell, bundle, { instance, head })
      : await addGoal(shell, bundle, { instance, goal });
  const missing = await addContent(board, bundle, named);
  const erased = named.erased.size;
  bundle.add("keys", `${head.key}\n`);
  // Nothing takes long after the file is kept: where the command is interrupted, there is none.
  await onSealed(checkpoint);
  bundle.keep();
  return { key: head.key, entries, isBehind, missing, erased };
}

/** `end`: the last place on record. */
async function untilSealed(
  shell: Shell,
  instance: InstanceName,
  end: string,
): Promise<{ head: Head; isBehind: boolean }> {
  const stopMs = performance.now() + maxWaitMs;
  for (;;) {
    const [line = ""] = await exportOf(shell, instance, { head: true });
    const head = Head.parse(JSON.parse(line));
    const isBehind = isLater(end, head.last_place);
    if (!isBehind || performance.now() >= stopMs) return { head, isBehind };
    await setTimeout(lookEveryMs, undefined, { signal: shell.interrupted });
  }
}

/** By parts, since a whole log may not fit into memory. */
async function addAll(
  shell: Shell,
  bundle: BundleWriter,
  { instance, head }: { instance: InstanceName; head: Head },
): Promise<Added> {
  const { checkpoint, size } = head;
  bundle.add("checkpoint", checkpoint);
  const add = async (of: "entries" | "records", name: string, write: (line: string) => string) => {
    const file = bundle.begin(name);
    for (let from = 0; from < size; ) {
      const lines = await exportOf(shell, instance, { part: { of, checkpoint, from } });
      if (lines.length === 0) throw noAnswer(instance);
      for (const line of lines) file.write(write(line));
      from += lines.length;
    }
    file.end();
  };
  let index = 0;
  await add("entries", "entries", (line) => `${index++} ${Entry.parse(JSON.parse(line)).entry}`);
  const named: Named = { files: new Map(), erased: new Set() };
  await add("records", "records.jsonl", (line) => {
    const { record } = Recorded.parse(JSON.parse(line));
    noteNamed(named, record);
    return `${record}\n`;
  });
  return { checkpoint, entries: index, named };
}

async function addGoal(
  shell: Shell,
  bundle: BundleWriter,
  { instance, goal }: { instance: InstanceName; goal: GoalId },
): Promise<Added> {
  const [first = "", ...rest] = await exportOf(shell, instance, { goal });
  const { note } = Note.parse(JSON.parse(rest.pop() ?? ""));
  const lines = rest.map((line) => Line.parse(JSON.parse(line)));
  if (lines.length === 0)
    throw new SettError("not-ready", `Nothing about ${goal} is sealed.`, {
      hint: `\`sett logs notary --name ${instance}\` may show why.`,
    });
  const { checkpoint } = Head.parse(JSON.parse(first));
  bundle.add("checkpoint", checkpoint);
  bundle.add("goal", note);
  bundle.add("entries", lines.map(({ index, entry }) => `${index} ${entry}`).join(""));
  bundle.add("records.jsonl", lines.map(({ record }) => `${record}\n`).join(""));
  for (const { index, proof } of lines) bundle.add(`proofs/${index}.tlog-proof`, proof);
  const named: Named = { files: new Map(), erased: new Set() };
  for (const { record } of lines) noteNamed(named, record);
  return { checkpoint, entries: lines.length, named };
}

/** The verifier key of the instance. Throws `not-ready`. */
export async function keyOf(shell: Shell, instance: InstanceName): Promise<string> {
  const [key = ""] = await answerOf(shell, instance, { argument: "--proof-key", order: {} });
  return key;
}

type Sealed = z.infer<typeof Line> & { checkpoint: string };
type OfGoal = { instance: InstanceName; goal: GoalId };

/** Undefined where no notary answers here, or it has not sealed the event yet. */
export async function sealOf(
  shell: Shell,
  { event, ...of }: OfGoal & { event: string },
): Promise<Seal | undefined> {
  const isIt = ({ entry }: Sealed) => readEntry(entry)?.place === event;
  const sealed = await sealedOf(shell, of, isIt);
  return sealed && sealBy(sealed.checkpoint, sealed.index);
}

/** The first entry of the goal that is such a one. Undefined as for `sealOf`. */
export async function sealedOf(
  shell: Shell,
  { instance, goal }: OfGoal,
  isIt: (sealed: Sealed) => boolean,
): Promise<Sealed | undefined> {
  const lines = await exportOf(shell, instance, { goal }).catch((error: unknown) => {
    if (error instanceof SettError) return [];
    throw error;
  });
  const [head = "", ...rest] = lines;
  for (const line of rest.slice(0, -1)) {
    const { checkpoint } = Head.parse(JSON.parse(head));
    const sealed = { ...Line.parse(JSON.parse(line)), checkpoint };
    if (isIt(sealed)) return sealed;
  }
  return undefined;
}

/** Throws `not-ready` where no notary answers here. */
export async function requireNotary(shell: Shell, instance: InstanceName): Promise<void> {
  await exportOf(shell, instance, { head: true });
}

async function exportOf(shell: Shell, instance: InstanceName, order: object): Promise<string[]> {
  shell.interrupted.throwIfAborted();
  return await answerOf(shell, instance, { argument: "--export-proof", order });
}

async function answerOf(
  shell: Shell,
  instance: InstanceName,
  { argument, order }: { argument: string; order: object },
): Promise<string[]> {
  const notary = await askService(shell, instance, "notary");
  if (notary === undefined || !isServing(notary.part))
    throw new SettError("not-ready", `The notary of ${instance} does not run on this machine.`, {
      hint: "`proof: on` in sett.yml and `sett up` start it.",
    });
  const { exitCode, stdout, stderr } = await notary.ask(argument, order);
  if (exitCode === 0) return stdout.split("\n").slice(0, -1);
  throw noAnswer(instance, stderr.trim());
}

function noAnswer(instance: InstanceName, reason = ""): SettError {
  return new SettError("not-ready", `The notary of ${instance} gave no answer.`, {
    hint: reason || `\`sett logs notary --name ${instance}\` may show why.`,
  });
}

function noteNamed(named: Named, text: string): void {
  const record = readRecord(text);
  if (record === undefined) return;
  const body = jsonObject(record.event);
  const goal = goalOf(record.event, body);
  const { files, erased } = named;
  for (const { name } of namedContent(record, body))
    files.set(name, (files.get(name) ?? new Set()).add(goal));
  const erasure = readErasure(record, body);
  if (erasure !== undefined) erased.add(artefactFile(erasure.artefact));
}

/** Returns how many are missing: the verifier names each. */
async function addContent(
  board: ContentBoard,
  bundle: BundleWriter,
  { files, erased }: Named,
): Promise<number> {
  let missing = 0;
  for (const [name, goals] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    // A file of `sett prune` may still have it.
    if (erased.has(name)) continue;
    const id = ArtefactId.safeParse(/^artefacts\/(.+)\.json$/.exec(name)?.[1]);
    const content = id.success
      ? await board.readRecord(id.data)
      : await factOf(board, FactDigest.parse(name.slice("facts/".length)), goals);
    if (content === undefined) missing++;
    else bundle.add(name, Buffer.from(content, id.success ? "base64" : "utf8"));
  }
  return missing;
}

async function factOf(
  board: ContentBoard,
  digest: FactDigest,
  goals: ReadonlySet<string>,
): Promise<string | undefined> {
  for (const goal of goals) {
    const found = (await board.readFacts([digest], GoalId.safeParse(goal).data)).get(digest);
    if (found !== undefined) return found;
  }
  return undefined;
}

const readme = `A bundle of Sett: what shows that nothing about a goal, or about all goals of an instance, was
changed, left out or put in between.

  sett audit verify FILE --key KEY

Take the key from the people of the instance, never from this file. All formats are described in
docs/reference/proof.md of Sett, from which alone a verifier can be written.
`;
