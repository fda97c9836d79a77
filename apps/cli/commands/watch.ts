// sett watch: prints the log and follows it; on a terminal with the open claims below it.

import { aborted } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { positionSince } from "../../../lib/client/facts/since.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { nearestWord } from "../../../lib/config/nearest-word.ts";
import type { Claim } from "../../../lib/model/claim.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import { EventType, type SettEvent } from "../../../lib/model/event.ts";
import { AgentName, type GoalId } from "../../../lib/model/ids.ts";
import { bidsOf } from "../../../lib/model/recorded-bids.ts";
import { EventPrinter } from "../goals/event-printer.ts";
import { liveClaims } from "../goals/live-claims.ts";
import { printOutputs } from "../goals/live-outputs.ts";
import { followLog } from "../instance/follow-log.ts";
import { openHistory } from "../instance/open-history.ts";
import { Bell } from "../people/bell.ts";
import { archiveArgument, goalFilter, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import type { Shell } from "../terminal/shell.ts";

const pageSize = 500;

export const watch = defineCommand({
  name: "watch",
  description: "show all past events, then follow new ones",
  details: [
    "Reads the log from its beginning and then follows it, without a gap or a repeat, until Ctrl-C.",
    "On a terminal the open claims are below it, each with its bids (R review, C claim, E exclusive, – ignore, ? none yet),",
    "then its phases (✓ done, ↩ rejects, ● running, ○ granted, · not granted yet, ↻ waits for a retry, ? waits for a person),",
    "and what the claim waits for.",
    "On a terminal some lines are combined: the line that closes the bidding names the agents that bid `ignore`, and the reason",
    "of a failure appears once. With --type or --agent, and everywhere else, each event has its own line.",
  ].join("\n"),
  args: {
    since: {
      type: "string",
      alias: "s",
      valueHint: "TIME",
      description: "start there: 10m (ten minutes ago), a date, or after the event with this id",
    },
    type: {
      type: "string",
      alias: "t",
      isList: true,
      valueHint: "TYPES",
      description: "only events of these types; separate them with commas, or repeat the option",
    },
    agent: {
      type: "string",
      alias: "a",
      valueHint: "AGENT",
      description: "only events by or about this agent",
    },
    goal: { ...goalFilter, alias: "g" },
    archive: archiveArgument,
    output: {
      type: "enum",
      alias: "o",
      options: ["human", "jsonl"],
      default: "human",
      valueHint: "FORMAT",
      description: "human, or jsonl: one JSON object per event",
    },
    live: {
      type: "boolean",
      description: "show what commands print, as it comes, each line with its claim",
    },
    bell: {
      type: "boolean",
      description: "ring the terminal's bell when a person is asked, and when a goal has failed",
    },
    follow: {
      type: "boolean",
      default: true,
      negativeDescription: "stop at the end of the log",
      description: "follow the log",
    },
    name: nameArgument,
  },
  examples: [
    "sett watch",
    "sett watch --since 10m --agent coder",
    "sett watch --since 1m --bell",
    "sett watch --live --agent builder",
    "sett watch --goal 9f3a12b4 --type artefact_created,claim_terminated",
    "sett watch --no-follow -o jsonl | jq .type  # the whole log, for programs",
  ],
  // The lines below the log must be removed before the end.
  endsItself: true,
  async run(args, outerShell) {
    const types = args.type.map(eventTypeOf);
    const agent =
      args.agent === undefined ? undefined : agentNameOf(args.agent, outerShell.suggest);
    const isFollowing = args.follow && args.archive === undefined;
    await using live = isFollowing && args.output === "human" ? liveClaims(outerShell) : undefined;
    const shell = live?.shell ?? outerShell;
    // A filter for certain events needs every line.
    const isFolded = shell.out.isTerminal && types.length === 0 && agent === undefined;
    const printer = new EventPrinter(shell.out, {
      format: args.output === "jsonl" ? "jsonl" : "human",
      isFolded,
    });
    const bell = args.bell && isFollowing ? new Bell(outerShell.err) : undefined;
    let goal: GoalId | undefined;
    let startedMs = 0;
    let connection: PersonBlackboard | undefined;
    const begin = async (board: ReadingBoard) => {
      if (args.goal !== undefined) goal = await resolveGoalId(board, args.goal, shell.suggest);
      return await positionSince(args.since, board);
    };
    const from = async (board: PersonBlackboard) => {
      if (agent !== undefined) await noteUnknownAgent(board, agent, shell);
      if (bell !== undefined) startedMs = await board.time();
      return await begin(board);
    };
    const isWanted = (event: SettEvent) =>
      (types.length === 0 || types.includes(event.type)) &&
      (goal === undefined || event.goal_id === goal) &&
      (agent === undefined || isAbout(event, agent));
    const visit = async (events: readonly SettEvent[], board: PersonBlackboard) => {
      connection = board;
      await printer.print(events.filter(isWanted), board);
      await bell?.onEvents(
        goal === undefined ? events : events.filter((event) => event.goal_id === goal),
        board,
        startedMs,
      );
      return undefined;
    };
    const showPast = async () => {
      await using opened = await openHistory(shell, args);
      const { board, live: ofNow } = opened;
      if (agent !== undefined && ofNow !== undefined) await noteUnknownAgent(ofNow, agent, shell);
      for await (const events of pastEvents(board, await begin(board), shell.interrupted))
        await printer.print(events.filter(isWanted), board);
    };
    // It ends with the command, and never ends it.
    const printing = async () => {
      const { name } = args;
      const format = args.output === "jsonl" ? ("jsonl" as const) : ("human" as const);
      const wanted = { name, goal: () => goal, agent, format, onBegun: live?.onBegun };
      await printOutputs(shell, shell.out, wanted, shell.interrupted);
      await aborted(shell.interrupted);
    };
    const isShown = (claim: Claim) => goal === undefined || claim.goal_id === goal;
    await Promise.race([
      isFollowing ? followLog(shell, args.name, { from, visit }) : showPast(),
      aborted(shell.interrupted),
      ...(live === undefined ? [] : [live.keepUpToDate(() => connection, isShown)]),
      ...(args.live && isFollowing ? [printing()] : []),
    ]);
    return shell.interrupted.aborted ? exitCodes.interrupted : undefined;
  },
});

/** Ends at the event that is the last one when it begins. */
/** Also where an agent's bid is one of many in an event. */
function isAbout(event: SettEvent, agent: AgentName): boolean {
  return (
    event.agent === agent ||
    event.actor === `agent:${agent}` ||
    bidsOf(event).some((bid) => bid.agent === agent)
  );
}

async function* pastEvents(
  board: ReadingBoard,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<SettEvent[]> {
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
    hint:
      nearest === undefined
        ? `The types are ${EventType.options.join(", ")}.`
        : `Did you mean ${nearest}?`,
  });
}

function agentNameOf(text: string, suggest: Suggest): AgentName {
  const parsed = AgentName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettError("usage", `\`${text}\` cannot be the name of an agent.`, {
    hint: `\`${suggest("status")}\` lists the agents.`,
  });
}

/** Only a warning, because a removed agent still has past events. */
async function noteUnknownAgent(
  board: PersonBlackboard,
  agent: AgentName,
  shell: Shell,
): Promise<void> {
  const names = (await board.listAgents()).map(({ name }) => name);
  if (names.includes(agent)) return;
  shell.messages.warn(
    `There is no registered agent ${agent}${names.length === 0 ? "" : `; there are ${names.join(", ")}`}.`,
  );
}
