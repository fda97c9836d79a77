// Gathers what shows all about a goal, or about all goals, to someone who trusts nothing here.
import { Buffer } from "node:buffer";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { FactDigest } from "../../../lib/model/fact.ts";
import { ArtefactId, GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { BundleFiles } from "../../../lib/proof/archive.ts";
import { goalOf, readRecord, type SealedRecord } from "../../../lib/proof/formats.ts";
import { namedContent } from "../../../lib/proof/named-content.ts";
import { askService } from "../instance/ask-service.ts";
import { isServing } from "../instance/place.ts";
import type { Shell } from "../terminal/shell.ts";

const Head = z.object({ checkpoint: z.string(), last_place: z.string(), key: z.string() });
const Line = z.union([
  z.object({
    index: z.number(),
    entry: z.string(),
    record: z.string(),
    proof: z.string().optional(),
  }),
  z.object({ note: z.string() }),
]);

/** What is younger than three seconds is not sealed yet. */
const maxWaitMs = 20_000;
const lookEveryMs = 500;

type Board = Pick<ReadingBoard, "endOfEvents" | "readRecord" | "readFacts">;
type Order = { instance: InstanceName; goal: GoalId | undefined };
export type Exported = { files: BundleFiles; key: string; entries: number; isBehind: boolean };

/** `isBehind`: not all that was on record when it began is sealed yet. Throws `not-ready`. */
export async function exportBundle(
  shell: Shell,
  board: Board,
  { instance, goal }: Order,
): Promise<Exported> {
  const end = await board.endOfEvents();
  const stopMs = performance.now() + maxWaitMs;
  for (;;) {
    const [first = "", ...rest] = await linesOf(shell, { instance, goal });
    const head = Head.parse(JSON.parse(first));
    const isBehind = isLater(end, head.last_place);
    if (isBehind && performance.now() < stopMs) {
      await setTimeout(lookEveryMs, undefined, { signal: shell.interrupted });
      continue;
    }
    const files = filesOf(head, rest);
    const records = recordsIn(files);
    for (const [name, bytes] of await contentOf(board, records)) files.set(name, bytes);
    files.set("keys", Buffer.from(`${head.key}\n`));
    return { files, key: head.key, entries: records.length, isBehind };
  }
}

/** The verifier key of the instance. Throws `not-ready`. */
export async function keyOf(shell: Shell, instance: InstanceName): Promise<string> {
  const [key = ""] = await answerOf(shell, instance, { argument: "--proof-key", order: {} });
  return key;
}

async function linesOf(shell: Shell, { instance, goal }: Order): Promise<string[]> {
  const order = { argument: "--export-proof", order: { goal } };
  return await answerOf(shell, instance, order);
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
  throw new SettError("not-ready", `The notary of ${instance} gave no answer.`, {
    hint: stderr.trim() || `\`sett logs notary --name ${instance}\` may show why.`,
  });
}

function filesOf({ checkpoint }: z.infer<typeof Head>, lines: readonly string[]) {
  const files = new Map<string, Uint8Array>([
    ["README", Buffer.from(readme)],
    ["checkpoint", Buffer.from(checkpoint)],
  ]);
  const [entries, records]: [string[], string[]] = [[], []];
  const proofs = new Map<string, Uint8Array>();
  for (const text of lines) {
    const line = Line.parse(JSON.parse(text));
    if ("note" in line) {
      files.set("goal", Buffer.from(line.note));
      continue;
    }
    entries.push(`${line.index} ${line.entry}`);
    records.push(`${line.record}\n`);
    if (line.proof !== undefined)
      proofs.set(`proofs/${line.index}.tlog-proof`, Buffer.from(line.proof));
  }
  files.set("entries", Buffer.from(entries.join("")));
  files.set("records.jsonl", Buffer.from(records.join("")));
  for (const [name, bytes] of proofs) files.set(name, bytes);
  return files;
}

function recordsIn(files: BundleFiles): SealedRecord[] {
  const lines = Buffer.from(files.get("records.jsonl") ?? [])
    .toString()
    .split("\n");
  return lines.flatMap((line) => readRecord(line) ?? []);
}

/** What is not on the blackboard any more is not in the bundle, and the verifier says so. */
async function contentOf(
  board: Board,
  records: readonly SealedRecord[],
): Promise<[string, Uint8Array][]> {
  const content: [string, Uint8Array][] = [];
  for (const [about, ofGoal] of Map.groupBy(records, ({ event }) => goalOf(event))) {
    const facts: FactDigest[] = [];
    for (const [name, [digest = ""]] of namedContent(ofGoal)) {
      const id = ArtefactId.safeParse(/^artefacts\/(.+)\.json$/.exec(name)?.[1]);
      if (!id.success) facts.push(FactDigest.parse(digest));
      const record = id.success ? await board.readRecord(id.data) : undefined;
      if (record !== undefined) content.push([name, Buffer.from(record, "base64")]);
    }
    for (const [digest, text] of await board.readFacts(facts, GoalId.safeParse(about).data))
      content.push([`facts/${digest}`, Buffer.from(text)]);
  }
  return content.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

const readme = `A bundle of Sett: what shows that nothing about a goal, or about all goals of an instance, was
changed, left out or put in between.

  sett audit verify FILE --key KEY

Take the key from the people of the instance, never from this file. All formats are described in
docs/reference/proof.md of Sett, from which alone a verifier can be written.
`;
