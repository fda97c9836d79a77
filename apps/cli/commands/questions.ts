// sett questions: what waits for a person, or the next thing that will.

import { aborted } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { type Asked, keyOf, keyOfEvent, readAsked } from "../facts/awaited.ts";
import { resolveGoalId } from "../facts/resolve-id.ts";
import { followLog } from "../instance/follow-log.ts";
import { openSession } from "../instance/session.ts";
import { goalFilter, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { durationOf } from "../program/duration.ts";
import { askedDetails, askedJson, askedTable, commandsFor } from "../render/asked-text.ts";
import type { Shell } from "../terminal/shell.ts";

export const questions = defineCommand({
  name: "questions",
  description: "list the questions and approvals that wait for a person",
  details: [
    "The oldest comes first; one by itself is shown with its whole text.",
    "With --wait: waits for the next one that is asked, shows it and ends; those that are listed already do not count.",
    "JSON is a list in either case, an empty one where nobody has asked anything in time.",
  ].join("\n"),
  args: {
    goal: { ...goalFilter, alias: "g" },
    wait: { type: "boolean", alias: "w", description: "wait for a new one" },
    timeout: { type: "string", valueHint: "TIME", description: "with --wait: give up after this time, such as 30s or 5m" },
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    "sett questions",
    "sett questions --json | jq -r '.[] | select(.kind == \"question\").id'",
    "sett questions --wait && notify-send 'Sett has a question'",
    "sett questions --wait --timeout 30s --json",
  ],
  async run(args, shell) {
    const timeoutMs = timeoutOf(args.timeout, args.wait, shell);
    if (args.wait) {
      const asked = await waitForNew(args, timeoutMs, shell);
      if (asked !== undefined) return await print(asked, args, Date.now(), shell);
      if (shell.interrupted.aborted) return exitCodes.interrupted;
      if (args.json) await shell.out.write("[]\n");
      shell.messages.note(`Nobody has asked anything within ${args.timeout}.`);
      return exitCodes.failed;
    }
    await using session = await openSession(shell, args.name);
    const { board } = session;
    const goal = args.goal === undefined ? undefined : await resolveGoalId(board, args.goal, shell.suggest);
    const [asked, nowMs] = await Promise.all([readAsked(board, goal), board.time()]);
    if (asked.length === 0 && !args.json) shell.messages.note("Nothing waits for a person.");
    else await print(asked, args, nowMs, shell);
    return;
  },
});

function timeoutOf(text: string | undefined, isWaiting: boolean, { suggest }: Shell): number | undefined {
  if (text === undefined) return undefined;
  if (!isWaiting)
    throw new SettError("usage", "--timeout is for --wait.", { hint: suggest(`questions --wait --timeout ${text}`) });
  return durationOf("--timeout", text);
}

/** Those that were asked together, once one was; undefined when the time was up, and when it was interrupted. */
async function waitForNew(
  args: { goal: string | undefined; name: string | undefined },
  timeoutMs: number | undefined,
  shell: Shell,
): Promise<Asked[] | undefined> {
  const timer = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const over = AbortSignal.any([shell.interrupted, ...timer]);
  /** Told of by the log, but not read yet: Redis may go away in between. */
  const told = new Set<string>();
  let goal: GoalId | undefined;
  let found: Asked[] | undefined;
  const following = followLog({ ...shell, interrupted: over }, args.name, {
    async from(board: Blackboard) {
      if (args.goal !== undefined) goal = await resolveGoalId(board, args.goal, shell.suggest);
      const end = await board.endOfEvents();
      shell.messages.note("Waiting for a question …");
      return end;
    },
    async visit(events, board) {
      for (const key of events.map(keyOfEvent)) if (key !== undefined) told.add(key);
      if (told.size === 0) return undefined;
      const asked = (await readAsked(board, goal)).filter((one) => told.has(keyOf(one)));
      told.clear();
      if (asked.length === 0) return undefined;
      found = asked;
      return "enough";
    },
  });
  await Promise.race([following, aborted(over)]);
  return found;
}

async function print(
  asked: readonly Asked[],
  { json: isJson }: { json: boolean },
  nowMs: number,
  { out, messages, suggest }: Shell,
): Promise<undefined> {
  const [first] = asked;
  if (isJson) await out.write(`${JSON.stringify(asked.map(askedJson))}\n`);
  else if (first !== undefined && asked.length === 1) {
    await out.write(askedDetails(first, out, nowMs));
    for (const command of commandsFor(first, suggest)) messages.next(command);
  } else {
    await out.write(`${askedTable(asked, { style: out.style, nowMs, columns: out.columns, suggest }).join("\n")}\n`);
    const kinds = new Set(asked.map(({ kind }) => kind));
    if (kinds.has("question")) messages.next(suggest('answer ID "…"'));
    if (kinds.has("approval")) messages.next(`${suggest("unearth ID")}  # what is to be approved`);
    if (kinds.has("approval")) messages.next(`${suggest("approve ID")}, or ${suggest('reject ID --reason "…"')}`);
  }
  return undefined;
}
