// Keeps of an instance of an eval each run's report, and in one file each all goals, all commits
// and, where the log is sealed, the proof of it.
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readGoalState } from "../../../lib/client/facts/goal.ts";
import { readReport } from "../../../lib/client/facts/report.ts";
import { reportBlocks } from "../../../lib/client/render/report-blocks.ts";
import { htmlOf } from "../../../lib/client/render/report-html.ts";
import { goalStatus } from "../../../lib/core/goal-status.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { ArtefactId, type CommitHash, type GoalId } from "../../../lib/model/ids.ts";
import { shellWord } from "../../../lib/model/shell-word.ts";
import { writeArchive } from "../archive/write.ts";
import { exportAudit } from "../audit/export.ts";
import { readTranscript } from "../instance/read-transcript.ts";
import { isOver } from "../instance/retention.ts";
import { openSession } from "../instance/session.ts";
import { readFacts } from "../prune/choose.ts";
import { addGoals } from "../prune/move.ts";
import { transcriptText } from "../render/transcript-text.ts";
import type { EvalInstance } from "./eval-instance.ts";

const archiveFile = "goals.jsonl";

/**
 * Returns the path of the report, in `folder`. Beside it is what agents and models have said, where
 * models were called: their words go with the instance. `name`: of both files.
 */
export async function keepReport(
  { lasting, name: instance }: Pick<EvalInstance, "lasting" | "name">,
  goal: GoalId,
  { folder, name }: { folder: string; name: string },
): Promise<string> {
  await using session = await openSession(lasting, instance);
  const { board } = session;
  const archive = shellWord(join(folder, archiveFile));
  const suggest = (command: string) => `sett ${command} --archive ${archive}`;
  const { state } = (await readGoalState(board, goal)).status;
  const story = await readReport(board, goal, { state, suggest });
  const path = join(folder, `${name}.html`);
  await writeFile(path, htmlOf(story.result.summary, reportBlocks(story, suggest)));
  const stated = await board.readArtefact(ArtefactId.parse(goal));
  if (stated === undefined || story.costs.models.length === 0) return path;
  const transcript = await readTranscript(board, stated, lasting);
  await writeFile(join(folder, `${name}.txt`), transcriptText(transcript, lasting.out));
  return path;
}

/** `starts`: the commits that the goals began at. */
type Kept = {
  folder: string;
  goals: readonly GoalId[];
  starts: readonly CommitHash[];
  hasCommits: boolean;
  isSealed: boolean;
};

/** Returns what cannot be kept, and keeps the rest. */
export async function keepInstance(
  at: Pick<EvalInstance, "lasting" | "name" | "repository">,
  { folder, goals, starts, hasCommits, isSealed }: Kept,
): Promise<string[]> {
  const { lasting, name, repository } = at;
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => problems.push(`${what}: ${messageOf(error)}`));
  };
  await attempt("The goals", async () => {
    await using session = await openSession(lasting, name);
    await archiveGoals(session.board, goals, { at: lasting, path: join(folder, archiveFile) });
  });
  if (hasCommits)
    await attempt("The commits", async () => {
      const file = createWriteStream(join(folder, "commits.bundle"));
      await repository.writeResults(name, (chunk) => void file.write(chunk), { beyond: starts });
      file.end();
      await finished(file);
    });
  if (isSealed)
    await attempt("The proof", async () => {
      const order = { goal: undefined, all: true, to: join(folder, "proof.tar"), archives: [] };
      await exportAudit({ ...order, json: false, name }, lasting);
    });
  return problems;
}

type Archiving = { at: EvalInstance["lasting"]; path: string };

async function archiveGoals(
  board: PersonBlackboard,
  ids: readonly GoalId[],
  { at: { version, interrupted: signal }, path }: Archiving,
): Promise<void> {
  const goals: Parameters<typeof addGoals>[1][number][] = [];
  for (const id of ids) {
    const stored = (await readFacts(board, id))?.stored;
    if (stored === undefined) continue;
    const { artefacts, claims, ended = null } = stored;
    const { state } = goalStatus(stored);
    if (isOver(state))
      goals.push({ id, state, ended, artefacts: artefacts.length, claims: claims.length });
  }
  const created_at = new Date(await board.time()).toISOString();
  const { instance } = board;
  const header = { sett_archive: 1 as const, instance, version, created_at, before: created_at };
  const end = await board.endOfEvents();
  await writeArchive(path, header, async (archive) => {
    await addGoals(board, goals, { archive, end, signal });
  });
}
