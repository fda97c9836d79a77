// Finds the context of a target that is too large for one function of Redis: with plain reads, each
// of a few artefacts.
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId, GoalId, LogicalId } from "../../model/ids.ts";
import { artefactFieldNames } from "../records/artefact-field-names.ts";
import { type ContextEntry, walkContext } from "../records/context-chain.ts";
import type { Deps } from "./deps.ts";

/** `bytes`: of payload and metadata, which are not read. */
type Node = Pick<Artefact, "id" | "logical_id" | "source_artefacts" | "goal_id" | "type"> & {
  bytes: number;
};

type Walk = { entries: ContextEntry<Node>[]; additional: Node[] };

/** How many artefacts are read at once. */
const nodesAtOnce = 100;

const fieldNames = artefactFieldNames.filter((name) => name !== "payload" && name !== "metadata");

/** `additional`: the nodes of these ids, each once, without those that do not exist. */
export async function walkInPieces(
  { connection, keys }: Pick<Deps, "connection" | "keys">,
  target: Artefact,
  additionalIds: readonly ArtefactId[],
): Promise<Walk> {
  const nodes = new Map<ArtefactId, Node | undefined>();
  const latest = new Map<LogicalId, ArtefactId | undefined>();

  const readNode = (id: ArtefactId) =>
    connection.run(async (client) => {
      const key = keys.artefact(id);
      const [values, payload, metadata, hasPayload, hasMetadata] = await Promise.all([
        client.hmGet(key, fieldNames),
        ...(["payload", "metadata"] as const).map((name) => client.hStrLen(key, name)),
        ...(["payload", "metadata"] as const).map((name) => client.hExists(key, name)),
      ]);
      const fields = Object.fromEntries(fieldNames.map((name, place) => [name, values[place]]));
      const isComplete =
        hasPayload === 1 &&
        hasMetadata === 1 &&
        fieldNames.every((name) => typeof fields[name] === "string");
      nodes.set(
        id,
        isComplete ? nodeOf(id, fields, Number(payload) + Number(metadata)) : undefined,
      );
    });
  const readLatest = (thread: LogicalId) =>
    connection.run(async (client) => {
      const [id] = await client.zRange(keys.thread(thread), -1, -1);
      latest.set(thread, id as ArtefactId | undefined);
    });

  // Each walk finds what it has not read one step farther, or the newest version of a thread.
  for (;;) {
    const [missing, missingThreads] = [new Set<ArtefactId>(), new Set<LogicalId>()];
    const nodeAt = (id: ArtefactId) => {
      if (!nodes.has(id)) missing.add(id);
      return nodes.get(id);
    };
    const latestOf = (thread: LogicalId) => {
      if (!latest.has(thread)) missingThreads.add(thread);
      return latest.get(thread);
    };
    const entries = walkContext(target, additionalIds, { read: nodeAt, latestOf });
    const additional = [...new Set(additionalIds)].flatMap((id) => nodeAt(id) ?? []);
    if (missing.size + missingThreads.size === 0) return { entries, additional };
    await inTurn([...missing], readNode);
    await inTurn([...missingThreads], readLatest);
  }
}

/** A person may have damaged it: it is parsed once it is chosen. */
function nodeOf(
  id: ArtefactId,
  fields: Partial<Record<string, string | null>>,
  bytes: number,
): Node {
  const sources = [...(fields.source_artefacts ?? "").matchAll(/"([^"]+)"/g)].map(
    ([, source]) => source as ArtefactId,
  );
  return {
    id,
    logical_id: (fields.logical_id ?? "") as LogicalId,
    goal_id: (fields.goal_id ?? "") as GoalId,
    type: fields.type ?? "",
    source_artefacts: sources,
    bytes,
  };
}

async function inTurn<Item>(
  items: readonly Item[],
  read: (item: Item) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += nodesAtOnce)
    await Promise.all(items.slice(from, from + nodesAtOnce).map(read));
}
