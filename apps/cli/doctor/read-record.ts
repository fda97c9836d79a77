// Compares the whole record of an instance with its digests, and the log with its own counts.
import { artefactList, forwards } from "../../../lib/client/facts/pages.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { goalsThatWait, type Retention } from "../instance/retention.ts";
import { type Connectable, connect } from "../instance/session.ts";
import type { RecordFacts } from "./facts.ts";
import { silent } from "./read-redis.ts";

const answerWithinMs = 3_000;

/** Reads every payload once, a few megabytes at a time. */
export async function readRecord(
  place: Connectable,
  {
    retention,
    events: known = 0,
  }: { retention: Retention | undefined; events?: number | undefined },
): Promise<RecordFacts> {
  try {
    await using board = await connect(place, answerWithinMs);
    const overwritten: ArtefactId[] = [];
    let artefacts = 0;
    for await (const page of forwards(artefactList(board, undefined), 0)) {
      artefacts += page.length;
      overwritten.push(...(await board.findOverwritten(page)));
    }
    const goalsMs = retention?.goals_ms;
    const waiting = goalsMs === undefined ? undefined : await goalsThatWait(board, goalsMs);
    const { lost, logged } = await board.countLostEvents();
    return {
      state: "answers",
      artefacts,
      overwritten,
      lost,
      fewer: logged < known ? { before: known, now: logged } : undefined,
      waiting,
    };
  } catch (error) {
    if (error instanceof SettError) return silent(error);
    throw error;
  }
}
