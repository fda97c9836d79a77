// A bundle as the source of `sett why`.
import { Buffer } from "node:buffer";
import { artefactOfFields, beginningOf } from "../../../lib/blackboard/records/artefact-fields.ts";
import { eventOf } from "../../../lib/blackboard/records/logged-event.ts";
import type { StorySource } from "../../../lib/client/facts/story.ts";
import type { Seal } from "../../../lib/core/story.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import { isObject, parseJson } from "../../../lib/model/json.ts";
import { type BundleFiles, readArchive } from "../../../lib/proof/archive.ts";
import { ownPlace, readCheckpoint, readRecord } from "../../../lib/proof/formats.ts";
import { openBundle } from "./bundle-file.ts";
import { factsIn } from "./replay-bundle.ts";

/** Throws `usage` where the file is no bundle. */
export async function storyOfBundle(path: string): Promise<StorySource & AsyncDisposable> {
  const bundle = await openBundle(path);
  const files = await readArchive(bundle);
  if (typeof files === "string" || !files.has("records.jsonl")) {
    await bundle[Symbol.asyncDispose]();
    throw new SettError("usage", `${path} is no bundle that can be read.`, {
      hint: "Name a file that `sett audit export` or `sett prune` has written.",
    });
  }
  const created = new Map<ArtefactId, SettEvent>();
  for await (const event of eventsIn(files))
    if (event.type === "artefact_created" && event.artefact_id !== undefined)
      created.set(event.artefact_id, event);
  const board = bundleBoard(files, created);
  return {
    board,
    eventsAbout: async (artefact) => {
      const events: SettEvent[] = [];
      const goal = created.get(artefact)?.goal_id;
      for await (const event of eventsIn(files)) if (event.goal_id === goal) events.push(event);
      return events;
    },
    pages: async function* () {
      yield [...created.keys()];
    },
    resultsOf: async (claim: ClaimId) =>
      [...created].flatMap(([id, { claim_id }]) => (claim_id === claim ? [id] : [])),
    seal: (_goal, event) => sealIn(files, event),
    [Symbol.asyncDispose]: () => bundle[Symbol.asyncDispose](),
  };
}

function bundleBoard(
  files: BundleFiles,
  created: ReadonlyMap<ArtefactId, SettEvent>,
): StorySource["board"] {
  const readArtefact = async (id: ArtefactId): Promise<Artefact | undefined> => {
    const name = `artefacts/${id}.json`;
    const record = parseJson((await files.get(name)?.whole())?.toString());
    return isObject(record) ? artefactOfFields(textsIn(record), name) : undefined;
  };
  return {
    readArtefact,
    findArtefacts: async (start) => [...created.keys()].filter((id) => id.startsWith(start)),
    readHeads: async (ids) => {
      const found = await Promise.all(ids.map(readArtefact));
      return found.flatMap((artefact) => {
        if (artefact === undefined) return [];
        const { payload, ...head } = artefact;
        const beginning = beginningOf(head, payload);
        return [{ head, payloadBytes: Buffer.byteLength(payload), beginning }];
      });
    },
    readFacts: async (digests) => {
      const facts = await factsIn(files);
      return new Map([...digests].map((digest) => [digest, facts.get(digest) ?? ""]));
    },
  };
}

function textsIn(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]));
}

async function* eventsIn(files: BundleFiles): AsyncGenerator<SettEvent> {
  for await (const lines of files.get("records.jsonl")?.lines() ?? [])
    for (const line of lines) {
      const record = readRecord(line.toString("utf8", 0, line.length - 1));
      if (record !== undefined && record.place !== ownPlace) yield eventOf(record.place, record);
    }
}

async function sealIn(files: BundleFiles, event: string): Promise<Seal | undefined> {
  const note = (await files.get("checkpoint")?.whole())?.toString() ?? "";
  for await (const lines of files.get("entries")?.lines() ?? [])
    for (const line of lines) {
      const [index, , place] = line.toString("latin1").split(" ", 3);
      if (place === event) return sealBy(note, Number(index));
    }
  return undefined;
}

/** `note`: a signed checkpoint. Its signature is for `sett audit verify` to check. */
export function sealBy(note: string, entry: number): Seal | undefined {
  const checkpoint = readCheckpoint(note.slice(0, note.indexOf("\n\n") + 1));
  if (checkpoint === undefined) return undefined;
  const { origin, size, root } = checkpoint;
  return { entry, size, root: Buffer.from(root).toString("base64"), origin };
}
