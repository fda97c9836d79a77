// Adopting what a person wrote with plain Redis commands: read it, judge it, then let one function
// check that nothing has changed, and write.
import { Buffer, isUtf8 } from "node:buffer";
import { RESP_TYPES } from "redis";
import { ArtefactId, type LogicalId } from "../../model/ids.ts";
import type { ArtefactBoard } from "../port/artefacts.ts";
import type { Refused } from "../port/refused.ts";
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
} from "../records/hand-written.ts";
import { agentsOf } from "./agents.ts";
import type { ArgumentOf } from "./call.ts";
import type { Deps } from "./deps.ts";
import { resultByHand } from "./result-by-hand.ts";
import { endOf } from "./streams.ts";

type Adoption = { outcome: "adopted" | "known" | "incomplete" | "fenced" } | Refused;

/** An artefact that changes at every try is adopted later. */
const maxTries = 10;

export async function adoptArtefact(
  deps: Deps,
  id: ArtefactId,
  epoch: number,
  isOverdue: boolean,
): Promise<Adoption> {
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
      judged:
        judgement.verdict === "sound"
          ? await judgedArtefact(deps, judgement, thread.last, at)
          : undefined,
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

/**
 * So often a look at a blackboard in which nothing seems to have happened is left out: with one
 * every 15 s, for ten minutes.
 */
const maxLeftOut = 40;

/** Of Redis, which does nothing else meanwhile: a millisecond at most. */
const keysAtOnce = 1_000;

/**
 * One look at all keys, as far as it has come. Redis may have been restarted between two
 * connections, which its cursors do not outlive.
 */
type Look = { connection: number; state: string; cursor: string; found: Map<ArtefactId, boolean> };

/**
 * Looks at every artefact's key, for as long as something happens. Nothing has been written by hand
 * where all artefacts were in the indexes at the last look and neither the log nor the number of
 * keys has changed since it began: a large instance at rest costs nothing then. One that was
 * written in the place of a key that went is found later. The keys are those of all who use this
 * Redis, so that a look is made in parts: it costs the same whatever others do there.
 */
export function unindexedArtefactsOf(deps: Deps): ArtefactBoard["findUnindexedArtefacts"] {
  const { connection, keys } = deps;
  let [sound, leftOut]: [state: string, looks: number] = ["", 0];
  let look: Look | undefined;
  return async (maxKeys = Number.POSITIVE_INFINITY) => {
    if (look?.connection !== connection.number) {
      const on = connection.number;
      const [size, end] = await connection.run((client) =>
        Promise.all([client.dbSize(), endOf(client, keys.events)]),
      );
      const state = `${size} ${end}`;
      if (state === sound && leftOut < maxLeftOut) {
        leftOut += 1;
        return [];
      }
      look = { connection: on, state, cursor: "0", found: new Map() };
    }
    const present = look;
    for (let left = maxKeys; left > 0; left -= keysAtOnce) {
      await lookAtNext(deps, present, Math.min(left, keysAtOnce));
      if (present.cursor !== "0") continue;
      look = undefined;
      [sound, leftOut] = [present.found.size === 0 ? present.state : "", 0];
      return [...present.found].flatMap(([id, isSettled]) => (isSettled ? [] : [id]));
    }
    return undefined;
  };
}

/** Notes what is in no index, also where its content is refused. */
async function lookAtNext(deps: Deps, look: Look, count: number): Promise<void> {
  const { keys, call } = deps;
  const [cursor = "0", ...ids] = await call(
    "findUnindexed",
    { digests: keys.artefactDigests },
    { cursor: look.cursor, count },
  );
  // What follows `artifact:` may be no id.
  for (const id of ids.flatMap((text) => ArtefactId.safeParse(text).data ?? []))
    look.found.set(id, await isRefused(deps, id));
  look.cursor = cursor;
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
 * The payload is not read: only its size is judged. `bytes` are the other fields as they are
 * stored, so that the function can compare them.
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
    Object.fromEntries(
      judgedFields.map((name, index) => [name, read(values[index] ?? nothing)]),
    ) as Record<JudgedField, Value>;
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
async function readThreadEnd(
  { connection, keys }: Deps,
  thread: string,
): Promise<{ last: string; end: ThreadEnd | undefined }> {
  const [last] = await connection.run((client) =>
    client.zRange(keys.thread(thread as LogicalId), -1, -1),
  );
  if (last === undefined) return { last: "", end: undefined };
  const values = await connection.run((client) =>
    client.hmGet(keys.artefact(last), [...endFields]),
  );
  return {
    last,
    end: Object.fromEntries(endFields.map((name, index) => [name, values[index] ?? ""])),
  };
}

function readSources(deps: Deps, ids: readonly ArtefactId[]): Promise<SourceState[]> {
  const { connection, keys } = deps;
  return Promise.all(
    ids.map(async (id): Promise<SourceState> => {
      const [exists, goal] = await connection.run((client) =>
        Promise.all([client.exists(keys.artefact(id)), client.hGet(keys.artefact(id), "goal_id")]),
      );
      if (exists === 0) return { state: "missing" };
      return (await isIndexed(deps, id))
        ? { state: "known", goal: goal ?? "" }
        : { state: "unadopted" };
    }),
  );
}
