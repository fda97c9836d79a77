// Has the notary attest how commits came about (docs/reference/proof.md#attestations): it signs
// what the sealed log says, and gets the content that the log names.
import type { Buffer } from "node:buffer";
import { z } from "zod";
import type { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { artefactFile, idOfArtefact } from "../../../lib/proof/named-content.ts";
import { commitFile } from "../../../lib/proof/provenance.ts";
import type { Shell } from "../terminal/shell.ts";
import { exportOf } from "./ask-notary.ts";
import { type ContentBoard, contentOf, type NamedFiles } from "./named-files.ts";

/** The commits among these that the repository has, as git has them. */
export type ReadCommits = (commits: Iterable<CommitHash>) => Promise<Map<string, Buffer>>;

/** `object`: the commit, as git has it. `attestation`: a bundle of Sigstore, one line. */
export type Attested = {
  id: string;
  commit: CommitHash;
  object: Buffer;
  attestation: string;
};

type Order = {
  instance: InstanceName;
  checkpoint: string;
  /** The note with the key that attests. */
  key: string;
  named: NamedFiles;
  /** Files of artefacts → the commits that they have delivered. */
  results: ReadonlyMap<string, CommitHash>;
  /** The commits that the repository has, as git has them. */
  objects: ReadonlyMap<string, Buffer>;
};
type Files = Map<string, Buffer>;

const Answer = z.object({ id: z.string(), attestation: z.string() });

/** They go to the notary together. */
const maxAtOnce = 100;
const maxBytes = 4 * 1024 ** 2;

export type Source = { board: ContentBoard; readCommits: ReadCommits };

/**
 * Results whose commits are not in the repository are left out, and all that no agent has made.
 * Throws `not-ready`.
 */
export async function* attestationsOf(
  shell: Shell,
  board: ContentBoard,
  { instance, checkpoint, key, named, results, objects }: Order,
): AsyncGenerator<Attested> {
  const attest = async (files: Files) => {
    const content = [...files].map(([name, bytes]) => [name, bytes.toString("base64")]);
    const order = { attest: { checkpoint, key, files: Object.fromEntries(content) } };
    const lines = files.size === 0 ? [] : await exportOf(shell, instance, order);
    return lines.flatMap((line) => {
      const { id, attestation } = Answer.parse(JSON.parse(line));
      const commit = results.get(artefactFile(id));
      const object = objects.get(commit ?? "");
      return commit && object ? [{ id, commit, object, attestation }] : [];
    });
  };
  const facts = [...named.files].filter(([name]) => idOfArtefact(name) === undefined);
  let files: Files = new Map();
  for (const [name, commit] of results) {
    const object = objects.get(commit);
    const goals = named.files.get(name) ?? new Set();
    const record = object && (await contentOf(board, name, goals));
    if (object === undefined || record === undefined) continue;
    files.set(name, record).set(commitFile(commit), object);
    for (const [fact, of] of facts) {
      if (files.has(fact) || of.isDisjointFrom(goals)) continue;
      const text = await contentOf(board, fact, of);
      if (text !== undefined) files.set(fact, text);
    }
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    if (files.size < maxAtOnce && bytes < maxBytes) continue;
    yield* await attest(files);
    files = new Map();
  }
  yield* await attest(files);
}

/** Counts the results whose commit is not in the repository. */
export function lackingIn(
  objects: ReadonlyMap<string, unknown>,
  results: ReadonlyMap<string, CommitHash>,
): number {
  return [...results.values()].filter((commit) => !objects.has(commit)).length;
}
