// sett watch: the log, from its beginning into the future; on a terminal with the open claims below it.

import { aborted } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { nearestWord } from "../../../lib/config/nearest-word.ts";
import type { Claim } from "../../../lib/model/claim.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import { EventType, type SettEvent } from "../../../lib/model/event.ts";
import { AgentName, type GoalId } from "../../../lib/model/ids.ts";
import type { ReadingBoard } from "../facts/reading-board.ts";
import { resolveGoalId } from "../facts/resolve-id.ts";
import { positionSince } from "../facts/since.ts";
import { EventPrinter } from "../goals/event-printer.ts";
import { liveClaims } from "../goals/live-claims.ts";
import { followLog } from "../instance/follow-log.ts";
import { openPast } from "../instance/open-past.ts";
import { Bell } from "../people/bell.ts";
import { archiveArgument, goalFilter, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import type { Shell } from "../terminal/shell.ts";
import type { Suggest } from "../text/suggest.ts";

const pageSize = 500;

export const watch = defineCommand({
  name: "watch",
  description: "show everything that has happened, then everything that happens",
  details: [
    "Reads the log from its beginning and goes on with what happens, without a gap or a repeat, until Ctrl-C.",
    "On a terminal the open claims stand below it, each with its bids (R review, C claim, E exclusive, – ignore, ? none yet),",
    "then its phases (✓ done, ● at work, ○ granted, · to come, ↻ to be tried again, ? waits for a person), and with who is",
    "waited for.",
    "A terminal is not told everything: bids of `ignore` are named where the bidding closes, and why something failed is said once.",
    "With --type or --agent, and everywhere else, each event has its line.",
  ].join("\n"),
  args: {
    since: {
      type: "string",
      alias: "s",
      valueHint: "TIME",
      description: "start there: 10m (ten minutes ago), a date, or after an event's id",
    },
    type: {
      type: "string",
      alias: "t",
      isList: true,
      valueHint: "TYPES",
      description: "only these types of events, with commas or several times",
    },
    agent: { type: "string", alias: "a", valueHint: "AGENT", description: "only what an agent did, or what was done about it" },
    goal: { ...goalFilter, alias: "g" },
    archive: { ...archiveArgument, description: `${archiveArgument.description}; ends at its end` },
    output: {
      type: "enum",
      alias: "o",
      options: ["human", "jsonl"],
      default: "human",
      valueHint: "FORMAT",
      description: "human, or jsonl: one event per line",
    },
    bell: { type: "boolean", description: "ring the terminal's bell when a person is wanted or a goal has failed" },
    follow: { type: "boolean", default: true, negativeDescription: "stop at the present", description: "go on" },
    name: nameArgument,
  },
  examples: [
    "sett watch",
    "sett watch --since 10m --agent coder",
    "sett watch --since 1m --bell",
    "sett watch --goal 9f3a12b4 --type artefact_created,claim_terminated",
    "sett watch --no-follow -o jsonl | jq .type  # the whole log, for programs",
  ],
  // What stands below the log is taken away first.
  endsItself: true,
  async run(args, givenShell) {
    const types = args.type.map(eventTypeOf);
    const agent = args.agent === undefined ? undefined : agentNameOf(args.agent, givenShell.suggest);
    const isFollowing = args.follow && args.archive === undefined;
    await using live = isFollowing && args.output === "human" ? liveClaims(givenShell) : undefined;
    const shell = live?.shell ?? givenShell;
    // Whoever asks for certain events wants them all.
    const isFolded = shell.out.isTerminal && types.length === 0 && agent === undefined;
    const printer = new EventPrinter(shell.out, { format: args.output === "jsonl" ? "jsonl" : "human", isFolded });
    const bell = args.bell && isFollowing ? new Bell(givenShell.err) : undefined;
    let goal: GoalId | undefined;
    let startedMs = 0;
    let contact: Blackboard | undefined;
    const begin = async (board: ReadingBoard) => {
      if (args.goal !== undefined) goal = await resolveGoalId(board, args.goal, shell.suggest);
      return await positionSince(args.since, board);
    };
    const from = async (board: Blackboard) => {
      if (agent !== undefined) await noteUnknownAgent(board, agent, shell);
      if (bell !== undefined) startedMs = await board.time();
      return await begin(board);
    };
    const isWanted = (event: SettEvent) =>
      (types.length === 0 || types.includes(event.type)) &&
      (goal === undefined || event.goal_id === goal) &&
      (agent === undefined || event.agent === agent || event.actor === `agent:${agent}`);
    const visit = async (events: readonly SettEvent[], board: Blackboard) => {
      contact = board;
      await printer.print(events.filter(isWanted), board);
      await bell?.hear(goal === undefined ? events : events.filter((event) => event.goal_id === goal), board, startedMs);
      return undefined;
    };
    const showPast = async () => {
      await using opened = await openPast(shell, args);
      const { board, live: ofNow } = opened;
      if (agent !== undefined && ofNow !== undefined) await noteUnknownAgent(ofNow, agent, shell);
      for await (const events of pastEvents(board, await begin(board), shell.interrupted))
        await printer.print(events.filter(isWanted), board);
    };
    const isShown = (claim: Claim) => goal === undefined || claim.goal_id === goal;
    await Promise.race([
      isFollowing ? followLog(shell, args.name, { from, visit }) : showPast(),
      aborted(shell.interrupted),
      ...(live === undefined ? [] : [live.keepUpToDate(() => contact, isShown)]),
    ]);
    return shell.interrupted.aborted ? exitCodes.interrupted : undefined;
  },
});

/** Up to the event that is the last one now. */
async function* pastEvents(board: ReadingBoard, from: string, signal: AbortSignal): AsyncGenerator<SettEvent[]> {
  const end = await board.endOfEvents();
  let last = from;
  while (!signal.aborted) {
    const page = await board.readEvents(last, pageSize);
    const endsAt = page.findIndex((event) => event.id === end);
    yield endsAt === -1 ? page : page.slice(0, endsAt + 1);
    last = page.at(-1)?.id ?? last;
    if (page.length < pageSize || endsAt !== -1) return;
  }
}

function eventTypeOf(text: string): EventType {
  const parsed = EventType.safeParse(text);
  if (parsed.success) return parsed.data;
  const nearest = nearestWord(text.replaceAll("-", "_"), EventType.options);
  throw new SettError("usage", `There are no events of type \`${text}\`.`, {
    hint: nearest === undefined ? `The types are ${EventType.options.join(", ")}.` : `Did you mean ${nearest}?`,
  });
}

function agentNameOf(text: string, suggest: Suggest): AgentName {
  const parsed = AgentName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettError("usage", `\`${text}\` is no agent's name.`, { hint: `\`${suggest("status")}\` lists the agents.` });
}

/** An agent that was removed still has its past, so this is no mistake. */
async function noteUnknownAgent(board: Blackboard, agent: AgentName, shell: Shell): Promise<void> {
  const names = (await board.listAgents()).map(({ name }) => name);
  if (names.includes(agent)) return;
  shell.messages.warn(`No agent ${agent} is registered here${names.length === 0 ? "" : `; there are ${names.join(", ")}`}.`);
}
