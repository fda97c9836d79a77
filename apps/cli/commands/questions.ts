// sett questions: lists what waits for a person, or waits for the next inquiry.

import { aborted } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import {
  type Inquiry,
  inquiryKey,
  inquiryKeyOfEvent,
  readInquiries,
} from "../../../lib/client/facts/inquiries.ts";
import { inquiryJson } from "../../../lib/client/facts/inquiry-json.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { followLog } from "../instance/follow-log.ts";
import { openSession } from "../instance/session.ts";
import { dataArguments, goalFilter } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { durationOf } from "../program/duration.ts";
import { commandsFor, inquiryDetails, inquiryTable } from "../render/inquiry-text.ts";
import type { Shell } from "../terminal/shell.ts";

export const questions = defineCommand({
  name: "questions",
  description: "list the questions and approvals that wait for a person",
  details: [
    "The oldest comes first. A single one is shown with its whole text.",
    "With --wait: waits for the next new one, shows it and ends; existing ones do not count.",
    "JSON is always a list; with --wait it is empty if no question came in time.",
  ].join("\n"),
  args: {
    goal: { ...goalFilter, alias: "g" },
    wait: { type: "boolean", alias: "w", description: "wait for a new one" },
    timeout: {
      type: "string",
      valueHint: "TIME",
      description: "with --wait: stop waiting after this time, such as 30s or 5m",
    },
    ...dataArguments,
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
      const inquiries = await waitForNew(args, timeoutMs, shell);
      if (inquiries !== undefined) return await print(inquiries, args, Date.now(), shell);
      if (shell.interrupted.aborted) return exitCodes.interrupted;
      if (args.json) await shell.out.write("[]\n");
      shell.messages.note(`No agent asked a person within ${args.timeout}.`);
      return exitCodes.failed;
    }
    await using session = await openSession(shell, args.name);
    const { board } = session;
    const goal =
      args.goal === undefined ? undefined : await resolveGoalId(board, args.goal, shell.suggest);
    const [inquiries, nowMs] = await Promise.all([readInquiries(board, goal), board.time()]);
    if (inquiries.length === 0 && !args.json) shell.messages.note("Nothing waits for a person.");
    else await print(inquiries, args, nowMs, shell);
    return;
  },
});

function timeoutOf(
  text: string | undefined,
  isWaiting: boolean,
  { suggest }: Shell,
): number | undefined {
  if (text === undefined) return undefined;
  if (!isWaiting)
    throw new SettError("usage", "--timeout needs --wait.", {
      hint: suggest(`questions --wait --timeout ${text}`),
    });
  return durationOf("--timeout", text);
}

/**
 * The new inquiries, as soon as there are any; undefined at the time limit, and when it was
 * interrupted.
 */
async function waitForNew(
  args: { goal: string | undefined; name: string | undefined },
  timeoutMs: number | undefined,
  shell: Shell,
): Promise<Inquiry[] | undefined> {
  const timer = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const over = AbortSignal.any([shell.interrupted, ...timer]);
  /** Keys from the log of inquiries that were not read yet: Redis may stop answering in between. */
  const keys = new Set<string>();
  let goal: GoalId | undefined;
  let found: Inquiry[] | undefined;
  const following = followLog({ ...shell, interrupted: over }, args.name, {
    async from(board: PersonBlackboard) {
      if (args.goal !== undefined) goal = await resolveGoalId(board, args.goal, shell.suggest);
      const end = await board.endOfEvents();
      shell.messages.note("Waiting for a question …");
      return end;
    },
    async visit(events, board) {
      for (const key of events.map(inquiryKeyOfEvent)) if (key !== undefined) keys.add(key);
      if (keys.size === 0) return undefined;
      const inquiries = (await readInquiries(board, goal)).filter((inquiry) =>
        keys.has(inquiryKey(inquiry)),
      );
      keys.clear();
      if (inquiries.length === 0) return undefined;
      found = inquiries;
      return "enough";
    },
  });
  await Promise.race([following, aborted(over)]);
  return found;
}

async function print(
  inquiries: readonly Inquiry[],
  { json: isJson }: { json: boolean },
  nowMs: number,
  { out, messages, suggest }: Shell,
): Promise<undefined> {
  const [first] = inquiries;
  if (isJson) await out.write(`${JSON.stringify(inquiries.map(inquiryJson))}\n`);
  else if (first !== undefined && inquiries.length === 1) {
    await out.write(inquiryDetails(first, out, nowMs));
    for (const command of commandsFor(first, suggest)) messages.next(command);
  } else {
    await out.write(
      `${inquiryTable(inquiries, { style: out.style, nowMs, columns: out.columns, suggest }).join("\n")}\n`,
    );
    const kinds = new Set(inquiries.map(({ kind }) => kind));
    if (kinds.has("question")) messages.next(suggest('answer ID "…"'));
    if (kinds.has("approval")) messages.next(`${suggest("unearth ID")}  # the artefact to approve`);
    if (kinds.has("approval"))
      messages.next(`${suggest("approve ID")}, or ${suggest('reject ID --reason "…"')}`);
  }
  return undefined;
}
