// Adopting what the instance's owner has written with plain Redis commands: read it, judge it, then
// let one function check that nothing has changed, and write.
import { Buffer, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { RESP_TYPES } from "redis";
import type { ArtefactId, LogicalId } from "../../model/ids.ts";
import type { ArtefactBoard } from "../port/artefacts.ts";
import type { ArtefactFields } from "../records/artefact-field-names.ts";
import { digestOfRecord, newSalt, recordOfBytes } from "../records/artefact-record.ts";
import {
  type HandWritten,
  type JudgedField,
  judge,
  judgedFields,
  sourcesOf,
  type ThreadEnd,
} from "../records/hand-written.ts";
import { agentsOf } from "./agents.ts";
import type { Deps } from "./deps.ts";

/** One that changes at every try has a writer who publishes it once more. */
const maxTries = 10;

export async function adoptArtefact(
  deps: Deps,
  id: ArtefactId,
  epoch: number,
): ReturnType<ArtefactBoard["adoptArtefact"]> {
  const { keys, call } = deps;
  const stored = {
    orchestrator: keys.orchestrator,
    artefact: keys.artefact(id),
    digests: keys.artefactDigests,
  };
  for (let tries = 1; tries <= maxTries; tries++) {
    const [isKnown, written] = await Promise.all([isIndexed(deps, id), readHandWritten(deps, id)]);
    const read = { epoch, id, as_read: written.bytes, payload_bytes: written.payloadBytes ?? 0 };
    const judged = isKnown ? { problem: "", judged: undefined } : await judgedBy(deps, id, written);
    const reply = await call("adoptArtefact", stored, { ...read, ...judged });
    if (reply.outcome !== "changed") return reply;
  }
  return { outcome: "absent" };
}

/** `problem` is '' for what is sound. */
async function judgedBy(deps: Deps, id: ArtefactId, written: HandWritten) {
  const [goals, thread, agents] = await Promise.all([
    Promise.all(sourcesOf(written).map((source) => goalOf(deps, source))),
    readThreadEnd(deps, written.fields.logical_id),
    agentsOf(deps).listAgents(),
  ]);
  const createdAt = new Date().toISOString();
  const judgement = judge(id, written, { goals, thread: thread.end, agents, createdAt });
  if ("problem" in judgement) return { problem: judgement.problem, judged: undefined };
  const sealed = await sealedBy(deps, id, judgement.filled);
  return {
    problem: "",
    judged: { last_of_thread: thread.last, artefact: judgement.filled, ...sealed },
  };
}

/**
 * The payload may be overwritten meanwhile, so that its own digest goes with that of the record.
 */
async function sealedBy(
  { connection, keys }: Deps,
  id: ArtefactId,
  filled: Omit<ArtefactFields, "payload">,
) {
  const stored = await connection.run((client) =>
    client.withTypeMapping(asBytes).hGet(keys.artefact(id), "payload"),
  );
  const [salt, payload] = [newSalt(), stored ?? nothing];
  const fields = Object.fromEntries(
    Object.entries(filled).map(([name, text]) => [name, Buffer.from(text)]),
  ) as Record<keyof typeof filled, Buffer>;
  return {
    salt,
    sha256: digestOfRecord(recordOfBytes(salt, { ...fields, payload })),
    payload_sha1: createHash("sha1").update(payload).digest("hex"),
  };
}

const asBytes = { [RESP_TYPES.BLOB_STRING]: Buffer };
const nothing = Buffer.alloc(0);

/**
 * The payload is not read here: only its size is judged. `bytes` are the other fields as they are
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
  const end = Object.fromEntries(endFields.map((name, index) => [name, values[index] ?? ""]));
  return { last, end };
}

/** Undefined where the source is not on record. */
async function goalOf(deps: Deps, source: ArtefactId): Promise<string | undefined> {
  if (!(await isIndexed(deps, source))) return undefined;
  const { connection, keys } = deps;
  const goal = await connection.run((client) => client.hGet(keys.artefact(source), "goal_id"));
  return goal ?? "";
}
