// Taking in what somebody wrote with plain Redis commands: read, judge, then let one script check that nothing has moved and write.
import { ArtefactId } from "../../model/ids.ts";
import { digestOf, type HandWritten, judge, judgedFields, type SourceState, sourcesOf } from "../hand-written.ts";
import type { Refused } from "../port.ts";
import type { Parts } from "./parts.ts";
import { outcomeOf } from "./replies.ts";

type Adoption = { outcome: "adopted" | "known" | "incomplete" | "fenced" } | Refused;

export async function adoptArtefact(parts: Parts, id: ArtefactId, epoch: number): Promise<Adoption> {
  const { keys, script } = parts;
  for (;;) {
    const written = await readHandWritten(parts, id);
    if (await isIndexed(parts, id, written.fields.goal_id)) return { outcome: "known" };
    const sources = await readSources(parts, sourcesOf(written));
    const judgement = judge(id, written, sources, new Date().toISOString());
    if (judgement.verdict === "incomplete") return { outcome: "incomplete" };

    const reason = judgement.verdict === "refused" ? judgement.reason : "";
    const read = judgedFields.map((name) => written.fields[name]);
    const filled = judgement.verdict === "sound" ? judgedFields.map((name) => judgement.filled[name]) : [];
    const reply = await script(
      "adoptArtefact",
      [keys.orchestrator, keys.artefact(id), keys.refusedArtefacts],
      [String(epoch), id, digestOf(written), reason, ...read, String(written.payloadBytes ?? 0), ...filled],
    );
    const result = outcomeOf(reply, "adopted", "known", "fenced", "changed");
    // Somebody is still writing it: read again.
    if (result.outcome !== "changed") return result;
  }
}

export async function findUnindexedArtefacts(parts: Parts): Promise<ArtefactId[]> {
  const { connection, keys } = parts;
  const start = keys.artefact("");
  const found: ArtefactId[] = [];
  let cursor = "0";
  do {
    const page = await connection.run((client) => client.scan(cursor, { MATCH: `${start}*`, COUNT: 500, TYPE: "hash" }));
    cursor = page.cursor;
    // `artifact:<id>:claims` matches too, and what follows there is no id.
    const ids = page.keys.map((key) => ArtefactId.safeParse(key.slice(start.length)).data);
    const waiting = await Promise.all(ids.map(async (id) => (id !== undefined && (await isWaiting(parts, id)) ? id : undefined)));
    found.push(...waiting.filter((id) => id !== undefined));
  } while (cursor !== "0");
  // A scan may show a key twice.
  return [...new Set(found)];
}

/** Not in the indexes, and not refused as it stands. */
async function isWaiting(parts: Parts, id: ArtefactId): Promise<boolean> {
  const { connection, keys } = parts;
  const goal = await connection.run((client) => client.hGet(keys.artefact(id), "goal_id"));
  if (await isIndexed(parts, id, goal ?? "")) return false;
  const refusal = await connection.run((client) => client.hGet(keys.refusedArtefacts, id));
  return refusal === null || !refusal.startsWith(digestOf(await readHandWritten(parts, id)));
}

/** The payload stays where it is: only its size is judged. */
async function readHandWritten({ connection, keys }: Parts, id: ArtefactId): Promise<HandWritten> {
  const key = keys.artefact(id);
  const [values, hasPayload, bytes] = await connection.run((client) =>
    Promise.all([client.hmGet(key, [...judgedFields]), client.hExists(key, "payload"), client.hStrLen(key, "payload")]),
  );
  const fields = Object.fromEntries(judgedFields.map((name, index) => [name, values[index] ?? ""])) as HandWritten["fields"];
  return { fields, payloadBytes: hasPayload === 1 ? Number(bytes) : undefined };
}

async function isIndexed({ connection, keys }: Parts, id: ArtefactId, goal: string): Promise<boolean> {
  if (goal === "") return false;
  return (await connection.run((client) => client.zScore(`${keys.prefix}goal:${goal}:artefacts`, id))) !== null;
}

function readSources(parts: Parts, ids: readonly ArtefactId[]): Promise<SourceState[]> {
  const { connection, keys } = parts;
  return Promise.all(
    ids.map(async (id): Promise<SourceState> => {
      const [exists, goal] = await connection.run((client) =>
        Promise.all([client.exists(keys.artefact(id)), client.hGet(keys.artefact(id), "goal_id")]),
      );
      if (exists === 0) return { state: "missing" };
      return (await isIndexed(parts, id, goal ?? "")) ? { state: "known", goal: goal ?? "" } : { state: "unadopted" };
    }),
  );
}
