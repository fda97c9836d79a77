// A person's closing of a pull request ends the goal, and anybody else's pauses it until the pull
// request is opened again, or a person of the clan resumes the goal.
import { readRequests } from "../../../lib/client/facts/requests.ts";
import { personOf } from "../../../lib/forge/judge-pull.ts";
import type { Closing, Pull } from "../../../lib/forge/port.ts";
import { harmlessLine } from "../../../lib/forge/texts.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { PullParts } from "./pull-parts.ts";
import { forgeActor, type PullAgent } from "./settings.ts";

type Parts = Pick<PullParts, "board" | "forge" | "agent">;
type Request = "cancel_requested" | "pause_requested" | "resume_requested";

const maxCharacters = 300;

/** True of a goal that this agent has paused, so that it alone may resume it. */
export function isPausedBy(agent: PullAgent, by: Actor | undefined): boolean {
  return by === forgeActor(agent);
}

/**
 * Asks the orchestrator for what a closing means. Returns why the goal rests from now on;
 * undefined where nothing is closed, or a person has resumed the goal since. `pulls`: those of its
 * branch, the newest first.
 */
export async function settleClosed(
  parts: Parts,
  goal: GoalId,
  pulls: readonly Pull[],
): Promise<string | undefined> {
  const pull = closedOf(pulls);
  if (pull === undefined) return undefined;
  const closing = await lastClosing(parts, pull);
  const reason = reasonOf(parts.agent, pull, closing);
  const person = personOf(closing, parts.agent.accounts);
  const type = person === undefined ? "pause_requested" : "cancel_requested";
  const isNew = await ask(parts, { goal, type, mark: `${closing.id} closed`, reason });
  // The orchestrator may not have seen to an earlier request yet.
  return isNew || (await isAskedFor(parts, goal, type)) ? reason : undefined;
}

/**
 * Looks again at a goal that a closing has paused: it goes on where the pull request is open again,
 * and ends where a person has closed it since.
 */
export async function lookAtPaused(
  parts: Parts,
  goal: GoalId,
  pulls: readonly Pull[],
): Promise<void> {
  const pull = closedOf(pulls);
  const newest = pull ?? pulls[0];
  if (newest === undefined) return;
  const closing = await lastClosing(parts, newest);
  if (pull === undefined) {
    const reason = `Pull request ${newest.number} was opened again at the forge.`;
    await ask(parts, { goal, type: "resume_requested", mark: `${closing.id} open`, reason });
  } else if (personOf(closing, parts.agent.accounts) !== undefined) {
    const reason = reasonOf(parts.agent, pull, closing);
    await ask(parts, { goal, type: "cancel_requested", mark: `${closing.id} closed`, reason });
  }
}

function closedOf(pulls: readonly Pull[]): Pull | undefined {
  const [newest] = pulls;
  const isClosed = newest?.state === "closed" && pulls.every(({ state }) => state !== "open");
  return isClosed ? newest : undefined;
}

async function lastClosing({ forge }: Parts, { number }: Pull): Promise<Closing> {
  return (await forge.closing(number)) ?? { id: `pull ${number}`, account: "", words: "" };
}

function reasonOf(
  { accounts }: PullAgent,
  { number }: Pull,
  { account, words }: Omit<Closing, "id">,
): string {
  const person = personOf({ account }, accounts);
  const name = harmlessLine(account, 100) || "an account that is gone";
  const by = person === undefined ? `${name}, who is none of its people` : `${person} (${name})`;
  const said = words === "" ? "" : `: ${harmlessLine(words, maxCharacters)}`;
  return `Pull request ${number} was closed at the forge by ${by}${said}`;
}

/** True the first time: the mark is set in the same step. */
async function ask(
  { board, agent }: Parts,
  { goal, type, mark, reason }: { goal: GoalId; type: Request; mark: string; reason: string },
): Promise<boolean> {
  const { outcome } = await board.recordTrigger({
    record: { goal },
    mark: `forge:${agent.name}:closed`,
    value: mark,
    event: { type, goal_id: goal, data: { reason } },
    actor: forgeActor(agent),
  });
  return outcome === "recorded";
}

async function isAskedFor({ board, agent }: Parts, goal: GoalId, type: Request): Promise<boolean> {
  const pending = await readRequests(board);
  return pending.some(
    (one) => one.type === type && one.goal_id === goal && one.actor === forgeActor(agent),
  );
}
