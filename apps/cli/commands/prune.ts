// sett prune: moves goals that have ended from the blackboard into a file.
import { basename, resolve } from "node:path";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { archiveName } from "../../../lib/client/archive-name.ts";
import { overwrittenSentence, remedyOf } from "../../../lib/client/facts/checked.ts";
import { eventPages } from "../../../lib/client/facts/event-pages.ts";
import { readDate } from "../../../lib/client/text/read-date.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { sealedUpTo } from "../audit/sealed-up-to.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import type { Place } from "../instance/place.ts";
import { removeOutputs } from "../instance/read-outputs.ts";
import { type Retention, readRetention } from "../instance/retention.ts";
import { openSession } from "../instance/session.ts";
import { KeptLogs } from "../logs/kept-logs.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { chooseGoals, type DamagedGoal, type PrunableGoal } from "../prune/choose.ts";
import { moveGoals, removeArchived } from "../prune/move.ts";
import type { Shell } from "../terminal/shell.ts";

export const prune = defineCommand({
  name: "prune",
  description: "move goals that have ended into a file",
  details: [
    "Moves goals that are achieved, settled, failed, cancelled or stalled and have not changed since --before, with their",
    "artefacts, claims and events. `sett hoard --archive FILE` reads the file. Goals that are open or wait for a person stay,",
    "and so do goals to which they refer. sett writes the file and reads it back before it removes anything. If it is",
    "interrupted after that, the next run removes the rest. The log records who moved which goals, and the file's digest.",
    "Without --before, `retention.goals` of sett.yml says how long goals are kept: put `sett prune` into cron.",
    "Commits stay in git as refs/sett/…. It also removes kept logs of containers that were removed before then.",
  ].join("\n"),
  args: {
    before: {
      type: "string",
      alias: "b",
      valueHint: "TIME",
      description:
        "only goals that have not changed since then: 30d, or a date (default: `retention.goals` of sett.yml)",
    },
    "dry-run": { type: "boolean", description: "only say what would be moved" },
    to: {
      type: "string",
      valueHint: "FILE",
      description: "the file (default: sett-NAME-TIME.jsonl in this folder)",
    },
    ...personArguments,
  },
  examples: [
    "sett prune --before 30d --dry-run",
    "sett prune --dry-run  # by `retention` in sett.yml",
    "sett prune --before 2026-10-01 --to /backup/sett-2026-09.jsonl",
  ],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    const retention = args.before === undefined ? await readRetention(shell) : undefined;
    const ago = readBefore(args.before, retention?.goals_ms);
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    const nowMs = await board.time();
    const before = new Date(ago(nowMs)).toISOString();
    const sealed = await sealedUpTo(board, shell);
    const choice = await chooseGoals(board, Date.parse(before), sealed);
    const { goals, rest, damaged, referred } = choice;
    const isDry = args["dry-run"];
    if (isDry && retention !== undefined) await noteOthers(board, retention, nowMs, shell);
    const pruneLogs = () => removeKeptLogs(session.place, Date.parse(before), isDry, shell);
    if (!isDry) {
      await removeArchived(board, rest, shell.interrupted);
      await removeOutputsOf([...rest.keys()], board.instance, shell);
    }
    const finished = [...rest.keys()];
    if (isDry || goals.length === 0) {
      const nothing = { file: null, sha256: null, logs: await pruneLogs(), dry_run: isDry };
      await report(
        { before, goals, finished, damaged, referred, ...sumsOf(goals), ...nothing },
        args.json,
        shell,
      );
      return;
    }
    // The blackboard knows the commits of a goal only as long as it has the goal.
    await fetchResults(shell, session.place.workspace, () => readResults(board));
    const created_at = new Date(nowMs).toISOString();
    // Goals that are half moved are put back first, also where the reader of the output has gone.
    shell.onAbandon(() => undefined);
    const path = resolve(shell.cwd, args.to ?? archiveName(board.instance, created_at));
    const header = {
      sett_archive: 1 as const,
      instance: board.instance,
      version: shell.version,
      created_at,
      before,
    };
    const moved = await moveGoals(board, goals, {
      path,
      header,
      actor,
      file: basename(path),
      sealed,
      signal: shell.interrupted,
    });
    await removeOutputsOf(
      moved.goals.map(({ id }) => id),
      board.instance,
      shell,
    );
    await report(
      {
        before,
        finished,
        damaged,
        referred,
        ...moved,
        logs: await pruneLogs(),
        file: path,
        dry_run: false,
      },
      args.json,
      shell,
    );
    return;
  },
});

async function removeKeptLogs(
  { instance, workspace = "" }: Place,
  beforeMs: number,
  isDry: boolean,
  shell: Shell,
): Promise<number> {
  const repository =
    workspace === ""
      ? undefined
      : await HostRepository.open(workspace, shell).catch(() => undefined);
  return repository === undefined
    ? 0
    : await new KeptLogs(repository.place, instance).removeBefore(beforeMs, { isDry });
}

type Sums = { artefacts: number; events: number; bytes: number };
type Result = Sums & {
  before: string;
  goals: readonly PrunableGoal[];
  /** An earlier file has them: only what an interrupted run has left of them goes. */
  finished: readonly GoalId[];
  damaged: readonly DamagedGoal[];
  referred: number;
  /** How many kept logs of containers were removed. */
  logs: number;
  file: string | null;
  sha256: string | null;
  dry_run: boolean;
};

function sumsOf(goals: readonly PrunableGoal[]): Sums {
  const sum = (of: (goal: PrunableGoal) => number) =>
    goals.reduce((total, goal) => total + of(goal), 0);
  return {
    artefacts: sum((goal) => goal.artefacts),
    events: sum((goal) => goal.events),
    bytes: sum((goal) => goal.bytes),
  };
}

async function report(
  result: Result,
  isJson: boolean,
  { out, messages, suggest }: Shell,
): Promise<void> {
  if (isJson) return await out.write(`${JSON.stringify(result)}\n`);
  const {
    goals,
    finished,
    artefacts,
    events,
    bytes,
    damaged,
    referred,
    logs,
    file,
    sha256,
    before,
    dry_run: isDry,
  } = result;
  const what = `${counted(goals.length, "goal")} with ${counted(artefacts, "artefact")} (${counted(bytes, "byte")}) and ${counted(events, "event")}`;
  if (finished.length > 0)
    messages[isDry ? "note" : "done"](
      `${isDry ? "Would remove" : "Removed"} the rest of ${counted(finished.length, "goal")}, which an earlier file has whole.`,
    );
  else if (goals.length === 0)
    messages.note(
      `There is nothing to move: every goal is open or has changed since ${before}, or such a goal refers to it.`,
    );
  if (goals.length > 0 && file === null)
    messages.note(`Would move ${what}, unchanged since before ${before}.`);
  else if (goals.length > 0) messages.done(`Moved ${what} to ${file} (sha256 ${sha256}).`);
  if (referred > 0)
    messages.note(
      `${counted(referred, "more goal")} ${referred === 1 ? "stays" : "stay"}, because goals that stay refer to ${referred === 1 ? "it" : "them"}.`,
    );
  if (damaged.length > 0) {
    const ids = damaged.flatMap(({ artefacts: overwritten }) => overwritten);
    const why = ids.length === 0 ? "changed by hand." : overwrittenSentence(ids);
    messages.warn(
      `${counted(damaged.length, "goal")} ${damaged.length === 1 ? "stays" : "stay"}: ${why}`,
    );
    messages.next(remedyOf(suggest("doctor")));
  }
  if (logs > 0)
    messages.note(
      `${isDry ? "Would remove" : "Removed"} ${counted(logs, "log")} of containers that were removed before then.`,
    );
  if (file !== null) messages.next(`Read it: sett hoard --archive ${file}`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

const msOf: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** The output of commands goes with its goal. */
async function removeOutputsOf(
  ids: readonly GoalId[],
  instance: InstanceName,
  shell: Shell,
): Promise<void> {
  const problem = await removeOutputs(shell, instance, ids).catch(messageOf);
  if (problem !== undefined)
    shell.messages.warn(
      `What the commands of these goals have printed stays on the record's volume: ${problem}`,
    );
}

/** Says what the instance itself removes by `retention`, for --dry-run. */
async function noteOthers(
  board: PersonBlackboard,
  { other_events_ms, transcripts_ms }: Retention,
  nowMs: number,
  { messages }: Shell,
): Promise<void> {
  if (other_events_ms !== undefined) {
    let events = 0;
    for await (const page of eventPages(board, await board.endOfEvents()))
      events += page.filter(
        ({ id, goal_id, type }) =>
          goal_id === undefined &&
          type !== "unreadable" &&
          Number.parseInt(id, 10) < nowMs - other_events_ms,
      ).length;
    messages.note(
      `The orchestrator removes ${counted(events, "event")} of no goal, older than ${daysOf(other_events_ms)}.`,
    );
  }
  if (transcripts_ms !== undefined)
    messages.note(
      `The gateway removes the bodies of calls that are older than ${daysOf(transcripts_ms)}.`,
    );
}

function daysOf(ms: number): string {
  return counted(ms / (msOf.d ?? ms), "day");
}

/**
 * A function from the present time to the time of --before, or of `retention.goals`. Throws
 * `usage`.
 */
function readBefore(
  text: string | undefined,
  retentionMs: number | undefined,
): (nowMs: number) => number {
  const hint =
    "For example: --before 30d, --before 12h, --before 2026-10-01. Or set `retention: { goals: 90d }` in sett.yml.";
  if (text === undefined && retentionMs !== undefined) return (nowMs) => nowMs - retentionMs;
  if (text === undefined)
    throw new SettError("usage", "--before is missing: since when must a goal be unchanged?", {
      hint,
    });
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text.trim()) ?? [];
  if (count !== undefined) return (nowMs) => nowMs - Number(count) * (msOf[unit] ?? 0);
  const at = readDate(text);
  if (at !== undefined) return () => at;
  throw new SettError("usage", `--before takes a duration or a date, not \`${text}\`.`, { hint });
}
