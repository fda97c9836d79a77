// Finds where in the log a follower begins, and from where on it reads to know the spans that are
// open there.
import type { ArtefactId } from "../model/ids.ts";
import { ArtefactId as Id } from "../model/ids.ts";
import type { TelemetryBoard } from "./board.ts";

/**
 * Ids of the log. Spans that ended up to `from` are not exported. `rebuildFrom`: undefined where
 * nothing is open.
 */
export type StartPosition = { from: string; rebuildFrom: string | undefined };

/** An artefact's time is its maker's, and the log's is Redis'. */
const marginMs = 60_000;
/**
 * The goals of so many claims are looked at; the oldest claims have the oldest goals, but for those
 * of people who have waited long.
 */
const maxClaims = 2_000;
/**
 * A scraper that asks for the first time does not wait for the events of many hours; later it asks
 * more often.
 */
const maxCatchUpMs = 300_000;

/**
 * `begun`: where the log ended when the program was started; it begins there, or some minutes
 * before now. `sinceMs`: how far before now it begins, if not 0. `historyMs`: how far before now it
 * looks for the beginnings of what is open.
 */
export async function startPosition(
  board: TelemetryBoard,
  { sinceMs, historyMs }: { sinceMs: number; historyMs: number },
  begun: string,
): Promise<StartPosition> {
  const [nowMs, open, questions] = await Promise.all([
    board.time(),
    board.listOpenClaims({ from: 0, count: maxClaims }),
    board.listOpenQuestions(),
  ]);
  const isRecent = sinceMs === 0 && Number.parseInt(begun, 10) >= nowMs - maxCatchUpMs;
  const from = isRecent ? begun : `${nowMs - (sinceMs || maxCatchUpMs)}-0`;
  const claims = await board.readClaims(open, () => {});
  const asking = (await board.readHeads(questions.slice(0, maxClaims))).map(
    ({ head }) => head.goal_id,
  );
  const goals = new Set<string>([...claims.map(({ claim }) => claim.goal_id), ...asking]);
  const heads = await board.readHeads([...goals].map((goal): ArtefactId => Id.parse(goal)));
  const oldest = Math.min(...heads.map(({ head }) => Date.parse(head.created_at) - marginMs));
  // What was open at an earlier position is not known now.
  if (heads.length === 0 && sinceMs === 0) return { from, rebuildFrom: undefined };
  const earliest = nowMs - Math.max(historyMs, sinceMs);
  const rebuildMs = Math.max(earliest, sinceMs === 0 ? oldest : Math.min(oldest, earliest));
  return { from, rebuildFrom: `${Math.floor(rebuildMs)}-0` };
}
