// Whether each attestation in a bundle says what the log says, and is signed by the key that the
// key of the log names (docs/reference/proof.md#attestations). Pure.
import type { KeyObject } from "node:crypto";
import type { BundleFiles } from "./archive.ts";
import { isSignedBy, maxAttestationBytes, readAttestation } from "./attestation.ts";
import type { BundleFile } from "./bundle-file.ts";
import { jsonObject } from "./formats.ts";
import type { Problems } from "./problems.ts";
import { attestedIn, commitFile, type Provenance } from "./provenance.ts";

type Order = {
  files: BundleFiles;
  problems: Problems;
  /** Gets the files that belong there. */
  named: Set<BundleFile>;
  provenance: Provenance;
  /** The name of the log's key. */
  builder: string;
  /** Undefined where nothing shows it. */
  key: KeyObject | undefined;
};

/** Resolves with how many there are. */
export async function checkAttestations(order: Order): Promise<number> {
  let count = 0;
  for (const [name, file] of order.files) {
    const id = attestedIn(name);
    if (id === undefined) continue;
    count++;
    order.named.add(file);
    const problem = await problemOf(id, file, order);
    if (problem !== undefined)
      order.problems.add("attestation", problem.place ?? name, problem.text);
  }
  return count;
}

async function problemOf(
  id: string,
  file: BundleFile,
  { files, named, provenance, builder, key }: Order,
): Promise<{ place?: string; text: string } | undefined> {
  const { commit = "", statement } = await provenance.statementOf(id, files, builder);
  const object = files.get(commitFile(commit));
  if (object !== undefined) named.add(object);
  const said = file.size > maxAttestationBytes ? undefined : readAttestation(await file.whole());
  if (said === undefined) return { text: "It is no attestation of this kind." };
  if (commit === "") return { text: "No work on record has delivered a commit so." };
  if (statement === undefined)
    return { place: commitFile(commit), text: "It is not there, or is not this commit." };
  if (said.statement !== statement)
    return { text: `Its ${partOf(said.statement, statement)} is not what the log says.` };
  if (key === undefined || isSignedBy(said, key)) return undefined;
  return { text: "The key of the attestations has not signed it." };
}

/** Which part of a statement differs. */
function partOf(said: string, expected: string): "subject" | "predicate" {
  const [one, other] = [jsonObject(said)?.subject, jsonObject(expected)?.subject];
  return JSON.stringify(one) === JSON.stringify(other) ? "predicate" : "subject";
}
