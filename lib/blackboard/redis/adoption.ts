// Adopting what a person wrote with plain Redis commands: read it, judge it, then let one function check that nothing has changed, and
// write.
import { Buffer, isUtf8 } from "node:buffer";
import { RESP_TYPES } from "redis";
import { ArtefactId, type LogicalId } from "../../model/ids.ts";
import {
  digestOf,
  type HandWritten,
  type JudgedField,
  type Judgement,
  judge,
  judgedFields,
  type SourceState,
  sourcesOf,
  type ThreadEnd,
} from "../hand-written.ts";
import type { Refused } from "../refused.ts";
import { agentsOf } from "./agents.ts";
import type { ArgumentOf } from "./call.ts";
import type { Deps } from "./deps.ts";
import { resultByHand } from "./result-by-hand.ts";
import { endOf } from "./streams.ts";

type Adoption = { outcome: "adopted" | "known" | "incomplete" | "fenced" } | Refused;

/** An artefact that changes at every try is adopted later. */
const maxTries = 10;

export async function adoptArtefact(deps: Deps, id: ArtefactId, epoch: number, isOverdue: boolean): Promise<Adoption> {
  const { keys, call } = deps;
  const stored = {
    orchestrator: keys.orchestrator,
    artefact: keys.artefact(id),
    refused_artefacts: keys.refusedArtefacts,
    digests: keys.artefactDigests,
  };
  const known = await call("verifyArtefact", stored, { epoch, id });
  if (known.outcome !== "unknown") return known;
  for (let tries = 1; tries <= maxTries; tries++) {
    const written = await readHandWritten(deps, id);
    const [sources, thread, agents] = await Promise.all([
      readSources(deps, sourcesOf(written)),
      readThreadEnd(deps, written.fields.logical_id),
      agentsOf(deps).listAgents(),
    ]);
    const at = new Date().toISOString();
    const judgement = judge(id, written, { sources, thread: thread.end, agents, createdAt: at });
    if (judgement.verdict === "incomplete" && !isOverdue) return { outcome: "incomplete" };

    const problem = judgement.verdict === "sound" ? "" : judgement.reason;
    const reply = await call("adoptArtefact", stored, {
      epoch,
      id,
      digest: digestOf(written, judgement.verdict === "incomplete" ? problem : ""),
      as_read: written.bytes,
      payload_bytes: written.payloadBytes ?? 0,
      problem,
      judged: judgement.verdict === "sound" ? await judgedArtefact(deps, judgement, thread.last, at) : undefined,
    });
    if (reply.outcome !== "changed") return reply;
  }
  return { outcome: "incomplete" };
}

/** Its fields as they are to be stored, and the end of its grant, if it names one. */
async function judgedArtefact(
  deps: Deps,
  { filled, artefact }: Extract<Judgement, { verdict: "sound" }>,
  last: string,
  at: string,
): Promise<ArgumentOf<"judged_artefact">> {
  return { last_of_thread: last, artefact: filled, result: await resultByHand(deps, artefact, at) };
}

/** So often a look at a blackboard in which nothing seems to have happened is left out: with one every 15 s, for ten minutes. */
const maxLeftOut = 40;

/**
 * Looks at every artefact's key, for as long as something happens. Nothing has been written by hand where all artefacts were in the indexes
 * at the last look and neither the log nor the number of keys has changed since: a large instance at rest costs nothing then. One that was
 * written in the place of a key that went is found later.
 */
export function unindexedArtefactsOf(deps: Deps): () => Promise<ArtefactId[]> {
  const { connection, keys } = deps;
  let [sound, leftOut]: [state: string, looks: number] = ["", 0];
  return async () => {
    const [size, end] = await connection.run((client) => Promise.all([client.dbSize(), endOf(client, keys.events)]));
    const state = `${size} ${end}`;
    if (state === sound && leftOut < maxLeftOut) {
      leftOut += 1;
      return [];
    }
    const { unindexed, waiting } = await scanForUnindexed(deps);
    [sound, leftOut] = [unindexed === 0 ? state : "", 0];
    return waiting;
  };
}

/** `unindexed`: how many are in no index, also those whose content is refused. */
async function scanForUnindexed(deps: Deps): Promise<{ unindexed: number; waiting: ArtefactId[] }> {
  const { connection, keys } = deps;
  const start = keys.artefact("");
  const found = new Map<ArtefactId, boolean>();
  let cursor = "0";
  do {
    const page = await connection.run((client) => client.scan(cursor, { MATCH: `${start}*`, COUNT: 500, TYPE: "hash" }));
    cursor = page.cursor;
    // `artifact:<id>:claims` matches too, and what follows there is no id.
    const ids = page.keys.flatMap((key) => ArtefactId.safeParse(key.slice(start.length)).data ?? []);
    await Promise.all(
      ids.map(async (id) => {
        if (!(await isIndexed(deps, id))) found.set(id, await isRefused(deps, id));
      }),
    );
  } while (cursor !== "0");
  return { unindexed: found.size, waiting: [...found].flatMap(([id, isSettled]) => (isSettled ? [] : [id])) };
}

/** As it is now. */
async function isRefused(deps: Deps, id: ArtefactId): Promise<boolean> {
  const { connection, keys } = deps;
  const refusal = await connection.run((client) => client.hGet(keys.refusedArtefacts, id));
  return refusal?.startsWith(digestOf(await readHandWritten(deps, id))) === true;
}

const asBytes = { [RESP_TYPES.BLOB_STRING]: Buffer };
const nothing = Buffer.alloc(0);

/**
 * The payload is not read: only its size is judged. `bytes` are the other fields as they are stored, so that the function can compare them.
 */
async function readHandWritten(
  { connection, keys }: Deps,
  id: ArtefactId,
): Promise<HandWritten & { bytes: Record<JudgedField, Buffer> }> {
  const key = keys.artefact(id);
  const [values, hasPayload, size] = await connection.run((client) =>
    Promise.all([
      client.withTypeMapping(asBytes).hmGet(key, [...judgedFields]),
      client.hExists(key, "payload"),
      client.hStrLen(key, "payload"),
    ]),
  );
  const byName = <Value>(read: (bytes: Buffer) => Value) =>
    Object.fromEntries(judgedFields.map((name, index) => [name, read(values[index] ?? nothing)])) as Record<JudgedField, Value>;
  const bytes = byName((value) => value);
  const fields = byName((value) => value.toString());
  const illegible = judgedFields.filter((name) => !isUtf8(bytes[name]));
  return { fields, illegible, bytes, payloadBytes: hasPayload === 1 ? Number(size) : undefined };
}

async function isIndexed({ connection, keys }: Deps, id: ArtefactId): Promise<boolean> {
  return (await connection.run((client) => client.hExists(keys.artefactDigests, id))) === 1;
}

const endFields = ["version", "structural_type", "type", "goal_id"] as const;

/** `last`: the id of the newest version, '' where there is none. */
async function readThreadEnd({ connection, keys }: Deps, thread: string): Promise<{ last: string; end: ThreadEnd | undefined }> {
  const [last] = await connection.run((client) => client.zRange(keys.thread(thread as LogicalId), -1, -1));
  if (last === undefined) return { last: "", end: undefined };
  const values = await connection.run((client) => client.hmGet(keys.artefact(last), [...endFields]));
  return { last, end: Object.fromEntries(endFields.map((name, index) => [name, values[index] ?? ""])) };
}

function readSources(deps: Deps, ids: readonly ArtefactId[]): Promise<SourceState[]> {
  const { connection, keys } = deps;
  return Promise.all(
    ids.map(async (id): Promise<SourceState> => {
      const [exists, goal] = await connection.run((client) =>
        Promise.all([client.exists(keys.artefact(id)), client.hGet(keys.artefact(id), "goal_id")]),
      );
      if (exists === 0) return { state: "missing" };
      return (await isIndexed(deps, id)) ? { state: "known", goal: goal ?? "" } : { state: "unadopted" };
    }),
  );
}
