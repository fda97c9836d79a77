// Whether the record has the bodies of calls that the blackboard names. Its volume may have been
// removed while the instance was down.
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { bodiesOnRecord } from "../facts/on-record.ts";
import { redisUrlsOf } from "../instance/place.ts";
import { readBodies } from "../instance/read-bodies.ts";
import { connect } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import type { BodyFacts } from "./facts.ts";

/** As many as the gateway reads in one answer. */
const most = 20;
const answerWithinMs = 3_000;

/** Undefined where no gateway answers, or no call has a body. Redis must answer. */
export async function readBodiesThere(
  shell: Shell,
  parts: InstanceParts,
): Promise<BodyFacts | undefined> {
  const { instance, containers } = parts;
  const gateway = containers.find(({ labels }) => labels.component === "gateway");
  if (gateway === undefined) return undefined;
  const kept = Number.parseInt(gateway.env.SETT_TRANSCRIPT_RETENTION ?? "", 10);
  try {
    await using board = await connect({ instance, ...redisUrlsOf(parts) }, answerWithinMs);
    const keptMs = Number.isNaN(kept) ? undefined : kept;
    const digests = await bodiesOnRecord(board, { most, keptMs, nowMs: Date.now() });
    if (digests.length === 0) return undefined;
    const found = await readBodies(shell, instance, digests);
    return {
      wanted: digests.length,
      missing: digests.filter((digest) => !found.has(digest)).length,
    };
  } catch (error) {
    if (error instanceof SettError) return undefined;
    throw error;
  }
}
