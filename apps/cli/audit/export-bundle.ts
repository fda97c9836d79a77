// Gathers what shows all about a goal, or about all goals, to someone who trusts nothing here.
import { z } from "zod";
import type { Seal } from "../../../lib/core/story.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { CommitHash, type GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import { readEntry } from "../../../lib/proof/formats.ts";
import { idOfArtefact } from "../../../lib/proof/named-content.ts";
import { attestationFile, commitFile, resultIn } from "../../../lib/proof/provenance.ts";
import type { Shell } from "../terminal/shell.ts";
import { exportOf, Head, noAnswer } from "./ask-notary.ts";
import { type Attested, attestationsOf, lackingIn, type Source } from "./attestations.ts";
import { BundleWriter } from "./bundle-file.ts";
import {
  type ContentBoard,
  contentOf,
  type NamedFiles,
  noteNamed,
  nothingNamed,
} from "./named-files.ts";
import { sealBy } from "./story-sources.ts";

const Entry = z.object({ entry: z.string() });
const Recorded = z.object({ record: z.string() });
const Line = z.object({ index: z.number(), ...Entry.shape, ...Recorded.shape, proof: z.string() });
const Anchor = z.object({
  size: z.number(),
  checkpoint: z.string(),
  tsr: z.string().optional(),
  cosigned: z.string().optional(),
  consistency: z.string(),
  sealed: z.string(),
  record: z.string(),
});
const Note = z.object({ note: z.string() });

/** `ofGoal`: undefined for all goals. */
type Order = { instance: InstanceName; head: Head; ofGoal: Omit<SealedGoal, "head"> | undefined };
export type Exported = {
  entries: number;
  missing: number;
  erased: number;
  attested: number;
  unattested: number;
};
/** `first`, `last`: the ends of its entries, by their indexes. */
type Added = {
  checkpoint: string;
  entries: number;
  named: NamedFiles;
  first: number;
  last: number;
};

/**
 * `head`: what the notary has signed last. `missing`: how many of the artefacts and rules that the
 * log names are on no board. `unattested`: of how many results the repository has not the commit.
 * `onSealed` gets the checkpoint before the file is kept. Throws `not-ready`, and `output-failed`.
 */
export async function exportBundle(
  shell: Shell,
  source: Source,
  { instance, head, ofGoal, path }: Order & { path: string },
  onSealed: (checkpoint: string) => Promise<void>,
): Promise<Exported> {
  using bundle = new BundleWriter(path);
  bundle.add("README", readme);
  const { checkpoint, entries, named, first, last } =
    ofGoal === undefined
      ? await addAll(shell, bundle, { instance, head })
      : addGoal(bundle, { head, ...ofGoal });
  const order = { anchors: { checkpoint, first, last } };
  for (const line of head.is_anchored ? await exportOf(shell, instance, order) : [])
    addAnchor(bundle, Anchor.parse(JSON.parse(line)));
  for (const { size, ...texts } of head.rotations)
    for (const [name, text] of Object.entries(texts)) bundle.add(`rotations/${size}/${name}`, text);
  const { missing, results } = await addContent(source.board, bundle, named);
  const objects = await source.readCommits(results.values());
  const about = { instance, checkpoint, key: head.attestation_key, named, results, objects };
  const attested = await addAttestations(bundle, attestationsOf(shell, source.board, about));
  bundle.add("attestation-key", head.attestation_key);
  bundle.add("keys", `${head.key}\n`);
  // Nothing takes long after the file is kept: where the command is interrupted, there is none.
  await onSealed(checkpoint);
  bundle.keep();
  const counts = { entries, missing, erased: named.erased.size, attested };
  return { ...counts, unattested: lackingIn(objects, results) };
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
  const named = nothingNamed();
  await add("records", "records.jsonl", (line) => {
    const { record } = Recorded.parse(JSON.parse(line));
    noteNamed(named, record);
    return `${record}\n`;
  });
  return { checkpoint, entries: index, named, first: 0, last: index - 1 };
}

function addGoal(bundle: BundleWriter, { head, note, lines }: SealedGoal): Added {
  const { checkpoint } = head;
  bundle.add("checkpoint", checkpoint);
  bundle.add("goal", note);
  bundle.add("entries", lines.map(({ index, entry }) => `${index} ${entry}`).join(""));
  bundle.add("records.jsonl", lines.map(({ record }) => `${record}\n`).join(""));
  for (const { index, proof } of lines) bundle.add(`proofs/${index}.tlog-proof`, proof);
  const named = nothingNamed();
  for (const { record } of lines) noteNamed(named, record);
  const ends = { first: lines[0]?.index ?? 0, last: lines.at(-1)?.index ?? 0 };
  return { checkpoint, entries: lines.length, named, ...ends };
}

/** The files of what others have seen of the log. */
function addAnchor(bundle: BundleWriter, { size, tsr, ...texts }: z.infer<typeof Anchor>): void {
  const { checkpoint, consistency, cosigned, sealed, record } = texts;
  const add = (name: string, content: string | Uint8Array | undefined) => {
    if (content !== undefined) bundle.add(`anchors/${size}/${name}`, content);
  };
  add("checkpoint", checkpoint);
  add("consistency", consistency);
  add("cosigned", cosigned);
  add("record", record);
  add("sealed", sealed);
  add("tsr", tsr === undefined ? undefined : Buffer.from(tsr, "base64"));
}

type SealedGoal = { head: Head; note: string; lines: z.infer<typeof Line>[] };

/** All that is sealed about a goal. Throws `not-ready` where nothing is. */
export async function sealedGoal(shell: Shell, { instance, goal }: OfGoal): Promise<SealedGoal> {
  const [first = "", ...rest] = await exportOf(shell, instance, { goal });
  const { note } = Note.parse(JSON.parse(rest.pop() ?? ""));
  const lines = rest.map((line) => Line.parse(JSON.parse(line)));
  const head = Head.parse(JSON.parse(first));
  if (lines.length > 0) return { head, note, lines };
  throw new SettError("not-ready", `Nothing about ${goal} is sealed.`, {
    hint: `\`sett logs notary --name ${instance}\` may show why.`,
  });
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

/** `results`: as for `attestationsOf`. The verifier names what is missing. */
async function addContent(
  board: ContentBoard,
  bundle: BundleWriter,
  { files, erased }: NamedFiles,
): Promise<{ missing: number; results: Map<string, CommitHash> }> {
  let missing = 0;
  const results = new Map<string, CommitHash>();
  for (const [name, goals] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    // A file of `sett prune` may still have it.
    if (erased.has(name)) continue;
    const content = await contentOf(board, name, goals);
    if (content === undefined) {
      missing++;
      continue;
    }
    bundle.add(name, content);
    const commit = idOfArtefact(name) && resultIn(content)?.commit;
    if (commit !== undefined) results.set(name, CommitHash.parse(commit));
  }
  return { missing, results };
}

/** Resolves with how many there are. */
async function addAttestations(
  bundle: BundleWriter,
  attestations: AsyncIterable<Attested>,
): Promise<number> {
  const commits = new Set<string>();
  let count = 0;
  for await (const one of attestations) {
    bundle.add(attestationFile(one.id), one.attestation);
    // Several results may have delivered one commit.
    if (!commits.has(one.commit)) bundle.add(commitFile(one.commit), one.object);
    commits.add(one.commit);
    count++;
  }
  return count;
}

const readme = `A bundle of Sett: what shows that nothing about a goal, or about all goals of an instance, was
changed, left out or put in between.

  sett audit verify FILE --key KEY

Take the key from the people of the instance, never from this file. All formats are described in
docs/reference/proof.md of Sett, from which alone a verifier can be written.
`;
