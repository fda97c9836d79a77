// sett budget: shows what a goal's calls of language models have cost and may cost, and raises the
// limits.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import {
  amountsToAdd,
  type Raise,
  raiseBudget,
  raisePeriod,
} from "../../../lib/client/actions/raise-budget.ts";
import { type BudgetReading, readBudget } from "../../../lib/client/facts/budget.ts";
import { budgetReportJson, periodsJson } from "../../../lib/client/facts/budget-json.ts";
import { readPeriodBudgets } from "../../../lib/client/facts/period-budgets.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { amountKinds, formatAmounts } from "../../../lib/model/amounts.ts";
import type { Amounts } from "../../../lib/model/budget.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { periodBudget } from "../../../lib/model/payer-name.ts";
import { Period } from "../../../lib/model/spending.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { newestGoal } from "../facts/newest-goal.ts";
import { openSession } from "../instance/session.ts";
import { goalArgument, personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { budgetReport, periodReport } from "../render/budget-report.ts";
import type { Shell } from "../terminal/shell.ts";

export const budget = defineCommand({
  name: "budget",
  description: "show what a goal's model calls have cost, or raise its limits",
  details: [
    "Shows the limits of the goal, what is spent, reserved for calls under way, and left, then the same by agent and by model.",
    "Without GOAL: the newest goal. --add raises the limits of this goal, on record with your name; sett.yml has the limits",
    "of every goal. With --agent, it raises the limit of each grant of that agent in this goal.",
    "Budgets of a day and of a month are shown below. --per raises one: what it has held begins at once.",
  ].join("\n"),
  args: {
    goal: goalArgument,
    add: {
      type: "string",
      valueHint: "AMOUNTS",
      description: "raise the limits by `5usd`, `200ktokens`, `50calls`",
    },
    agent: {
      type: "string",
      valueHint: "AGENT",
      description: "with --add: raise the limit of this agent's grants",
    },
    per: {
      type: "string",
      valueHint: "PERIOD",
      description: "with --add and without GOAL: raise the limit of this `day` or `month`",
    },
    of: {
      type: "string",
      valueHint: "WHOSE",
      description:
        "with --per: of a person (`ada@example.org`) or a trigger (`trigger:nightly`); without it, of the instance",
    },
    ...personArguments,
  },
  examples: [
    "sett budget",
    "sett budget 9f3a12b4 --add 5usd",
    'sett budget 9f3a12b4 --add "200k tokens, 50 calls"',
    "sett budget 9f3a12b4 --add 1usd --agent coder",
    "sett budget --add 20usd --per day",
  ],
  async run(args, shell) {
    const raising = periodIn(args);
    const add = raising === undefined ? addOf(args) : undefined;
    await using session = await openSession(shell, args.name);
    const { board } = session;
    if (raising !== undefined) {
      const { whose, period } = await raisePeriod(board, {
        ...raising,
        actor: await session.actor(args.as),
      });
      shell.messages.done(
        `${sentenceCase(periodBudget(whose, period))} is raised by ${formatAmounts(raising.add)}.`,
      );
      await showPeriods(board, args, shell);
      return;
    }
    if (args.goal === undefined && (await board.countGoals()) === 0) {
      // Before the first goal there may be budgets, too.
      const periods = await readPeriodBudgets(board);
      if (periods.length > 0) {
        await showPeriods(board, args, shell);
        return;
      }
    }
    const goal =
      args.goal === undefined
        ? await newestGoal(board, shell)
        : await resolveGoalId(board, args.goal, shell.suggest);
    if (add !== undefined)
      await raise(
        board,
        { goal, add, agent: args.agent, actor: await session.actor(args.as) },
        shell,
      );
    const [reading, periods] = await Promise.all([
      readBudget(board, goal),
      readPeriodBudgets(board),
    ]);
    const json = { ...budgetReportJson(reading), periods: periodsJson(periods) };
    const lines = [...budgetReport(reading, shell.out), ...periodReport(periods, shell.out)];
    await shell.out.write(args.json ? `${JSON.stringify(json)}\n` : `${lines.join("\n")}\n`);
    explain(reading, add, args.agent, shell);
    return;
  },
});

async function showPeriods(
  board: PersonBlackboard,
  { json }: { json: boolean | undefined },
  { out }: Shell,
): Promise<void> {
  const periods = await readPeriodBudgets(board);
  const text =
    json === true
      ? JSON.stringify({ periods: periodsJson(periods) })
      : periodReport(periods, out).slice(1).join("\n");
  await out.write(`${text}\n`);
}

/** Undefined where no --per says that a day or a month is meant. */
function periodIn({
  per,
  of,
  add,
  goal,
  agent,
}: Readonly<Record<"per" | "of" | "add" | "goal" | "agent", string | undefined>>) {
  if (per === undefined && of !== undefined)
    throw new SettError("usage", "--of is only used with --per.", {
      hint: "For example: --add 20usd --per day --of trigger:nightly",
    });
  if (per === undefined) return undefined;
  const hint = "For example: sett budget --add 20usd --per day";
  const period = Period.safeParse(per).data;
  if (period === undefined)
    throw new SettError("usage", `--per takes day or month, and not ${oneLine(per)}.`, { hint });
  if (goal !== undefined || agent !== undefined)
    throw new SettError("usage", "--per takes neither a goal nor --agent.", { hint });
  if (add === undefined) throw new SettError("usage", "--per is only used with --add.", { hint });
  return { period, of, add: amountsToAdd(add, "--add") };
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function addOf({
  add: text,
  goal,
  agent,
}: {
  add: string | undefined;
  goal: string | undefined;
  agent: string | undefined;
}) {
  if (text === undefined) {
    if (agent === undefined) return undefined;
    throw new SettError("usage", "--agent is only used with --add.", {
      hint: "For example: --add 1usd --agent coder",
    });
  }
  if (goal === undefined)
    throw new SettError("usage", "--add needs the id of a goal.", {
      hint: "`sett status` lists the goals.",
    });
  return amountsToAdd(text, "--add");
}

async function raise(board: PersonBlackboard, order: Raise, { messages }: Shell): Promise<void> {
  const { agent } = await raiseBudget(board, order);
  const whose = agent === undefined ? "" : ` for each grant of agent ${agent}`;
  messages.done(
    `The budget of goal ${shortId(order.goal)} is raised by ${formatAmounts(order.add)}${whose}.`,
  );
}

/** Explains what the figures alone do not say. */
function explain(
  reading: BudgetReading,
  add: Amounts | undefined,
  agent: string | undefined,
  { messages, suggest }: Shell,
): void {
  const { isAnnounced, limits, agents, spent, blocked } = reading;
  if (!isAnnounced)
    messages.note(
      "No gateway has run in this sett, so no limits are known: does its sett.yml name `models`?",
    );
  if (spent.unpriced_calls > 0)
    messages.note(
      "The price of some calls is not known: they count as no money. `price` of a model in sett.yml sets it.",
    );
  if (isAnnounced && add !== undefined) {
    const of = agent === undefined ? limits : agents.find(({ name }) => name === agent)?.limits;
    const unlimited = amountKinds.filter((kind) => add[kind] > 0 && of?.[kind] === undefined);
    const names = unlimited.map((kind) => (kind === "nanousd" ? "money" : kind));
    if (names.length > 0)
      messages.note(`There was no limit of ${names.join(" and ")}, so there is still none.`);
  }
  if (blocked === undefined) return;
  const command = blocked.isQuestion
    ? `answer ${shortId(blocked.id)} ${blocked.example}`
    : `retry ${shortId(blocked.id)}`;
  if (blocked.isQuestion) messages.next(`An agent waits for more: ${suggest(command)}`);
  else messages.next(`An agent has failed because its budget was spent: ${suggest(command)}`);
}
