import { judgePull, type PullVerdict, wantingReviews } from "../../../lib/forge/judge-pull.ts";
import type { Forge, Listed, Pull, Remark, StatusState } from "../../../lib/forge/port.ts";
import { push, readNames } from "../../../lib/forge/receive-pack.ts";
import { isRefused } from "../../../lib/forge/rest-forge.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId, CommitHash, GoalId } from "../../../lib/model/ids.ts";
import { settleClosed } from "./closed-pull.ts";
import { type ForgeStep, noteStep } from "./note-step.ts";
import { problemOfPush } from "./problem-of-push.ts";
import type { PullParts } from "./pull-parts.ts";
import { pullBody, pullTitle, versionLine } from "./pull-text.ts";
import { forgeActor, type PullAgent } from "./settings.ts";

/** The branch of the goal's results. */
export function branchOf({ pull_request }: PullAgent, goal: GoalId): string {
  return pull_request.branch.replaceAll("{goal}", goal);
}

/** `pulls`: those of the branch, as they were when the look began. */
type Look = PullParts & {
  artefact: Artefact;
  commit: CommitHash;
  branch: string;
  pulls: readonly Pull[];
  waitedMs: number;
};

/** Artefact → why the forge refused its push: the same push is not tried again. */
export type Refusals = Map<ArtefactId, string>;

/** The pull requests of the goal's branch, without those of forks. Throws `ForgeError`. */
export async function pullsOf({ forge, agent }: PullParts, goal: GoalId): Promise<Pull[]> {
  return (await forge.pulls(branchOf(agent, goal))).list.filter(({ isOwn }) => isOwn);
}

/**
 * Throws `ForgeError`, after which another look may go on. `waitedMs`: since the artefact was to be
 * reviewed.
 */
export async function lookAtPull(
  parts: PullParts,
  { artefact, waitedMs }: { artefact: Artefact; waitedMs: number },
  refusals: Refusals,
): Promise<PullVerdict> {
  const { commit } = artefact.metadata;
  if (commit === undefined) return { kind: "stops", why: "The artefact has no commit" };
  const branch = branchOf(parts.agent, artefact.goal_id);
  const pulls = await pullsOf(parts, artefact.goal_id);
  const rests = await settleClosed(parts, artefact.goal_id, pulls);
  if (rests !== undefined) return { kind: "waits", why: rests };
  const look = { ...parts, artefact, commit, branch, pulls, waitedMs };
  const unpushed = await pushOnce(look, refusals);
  if (unpushed !== undefined) return unpushed;
  const pull = await openOnce(look);
  const before = await parts.forge.status(commit);
  if (before === undefined) await setStatus(look, "pending", "The goal is under review");
  else await note(look, "status", "done", before.state);
  const verdict = judged(pull, await judge(look, pull));
  const word = { approves: "success", rejects: "failure", waits: undefined, stops: undefined };
  const state = word[verdict.kind] as StatusState | undefined;
  if (state !== undefined && (await parts.forge.status(commit))?.state !== state)
    await setStatus(look, state, state === "success" ? "Accepted" : "Goes back for rework");
  return verdict;
}

/** Undefined where the branch has the commit. */
async function pushOnce(look: Look, refusals: Refusals): Promise<PullVerdict | undefined> {
  const { forge, branch, commit, pushAt, artefact, board, agent } = look;
  const there = await forge.branch(branch);
  if (there?.head === commit) {
    await note(look, "push", "done", branch);
    return undefined;
  }
  if (there === undefined && isOver(look)) return undefined;
  const refused = refusals.get(artefact.id);
  if (refused !== undefined) return { kind: "stops", why: refused };
  if (there?.isProtected === true || branch === agent.pull_request.base)
    return { kind: "stops", why: `The branch ${branch} is protected at the forge` };
  const names = await readNames(pushAt);
  const from = names.get(`refs/heads/${branch}`);
  if (from !== undefined && from !== commit) {
    const own = (await board.listCommits()).map((one) => String(one.commit));
    if (!own.includes(from))
      return {
        kind: "stops",
        why: `The branch ${branch} has a commit that is not on record (${from.slice(0, 12)}): another person or program has pushed it`,
      };
  }
  const refuse = (why: string): PullVerdict => {
    refusals.set(artefact.id, why);
    return { kind: "stops", why };
  };
  const prepared = await prepare(look, names).catch((error: unknown) => {
    if (error instanceof SettError && error.code === "usage") return refuse(error.message);
    throw error;
  });
  if ("kind" in prepared) return prepared;
  await note(look, "push", "begins", branch);
  const order = { branch, from, to: commit, ...prepared };
  const why = from === commit ? undefined : await push(pushAt, order);
  if (why !== undefined) return refuse(`The forge refuses the push of ${branch}: ${why}`);
  await note(look, "push", "done", branch);
  return undefined;
}

/** A person who merges or closes a pull request often has its branch deleted: it stays so. */
function isOver({ pulls, artefact }: Look): boolean {
  return pulls.some((one) => one.state !== "open" && isOfVersion(one, artefact));
}

/** Returns what is pushed, or what speaks against it. Throws `usage`, `git-failed`. */
async function prepare(
  look: Look,
  names: ReadonlyMap<string, string>,
): Promise<PullVerdict | { pack: Uint8Array }> {
  const reader = await look.reader();
  // Under other names there are commits of everybody, such as those of pull requests from forks.
  const own = [...names].filter(([name]) => /^refs\/(?:heads|tags)\//.test(name));
  const outgoing = await reader.outgoing(
    look.commit,
    own.map(([, commit]) => commit),
  );
  const problem = await problemOfPush(look, { reader, outgoing });
  return problem ?? { pack: await outgoing.pack() };
}

/** Finds the pull request of the branch, or makes it; its text is that of this version. */
async function openOnce(look: Look): Promise<Pull> {
  const { forge, branch, artefact, agent, pulls } = look;
  const { base, draft } = agent.pull_request;
  const isWritten = (pull: Pull) => isOfVersion(pull, artefact);
  const known = pulls.find((one) => one.state === "open") ?? pulls.find(isWritten);
  const earlier = known ?? pulls.find((one) => one.state === "closed");
  if (known !== undefined && isWritten(known)) {
    await note(look, "open", "done", String(known.number));
    return known;
  }
  const report = await look.report(artefact);
  const { issue } = await look.board.readGoal(artefact.goal_id);
  const number = issue === undefined ? undefined : forge.issueAt(issue);
  const [title, body] = [pullTitle(report), pullBody(report, artefact, number)];
  if (earlier !== undefined) {
    await note(look, "update", "begins", String(earlier.number));
    // The text last: by it a later look knows that all of this was done.
    const isOpen = earlier.state === "open" || (await reopened(forge, earlier));
    if (isOpen) {
      await forge.describe(earlier, { title, body });
      await note(look, "update", "done", String(earlier.number));
      return await forge.pull(earlier.number);
    }
  }
  await note(look, "open", "begins", branch);
  const opened = await forge.open({ title, body, branch, base, isDraft: draft });
  await note(look, "open", "done", String(opened.number));
  return opened;
}

/** Whether the text of the pull request is that of this version. */
export function isOfVersion({ body }: Pick<Pull, "body">, artefact: Artefact): boolean {
  return body.includes(versionLine(artefact));
}

/** A forge does not open one again whose branch was written anew meanwhile. */
async function reopened(forge: Forge, pull: Pull): Promise<boolean> {
  try {
    await forge.reopen(pull);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

async function judge(look: Look, found: Pull): Promise<PullVerdict> {
  const { forge, commit, agent, waitedMs } = look;
  const { pull_request: settings, accounts } = agent;
  const pull = await forge.pull(found.number);
  const opinions = await forge.opinions(pull.number);
  const remarks = new Map<number, Listed<Remark>>();
  for (const { opinion } of wantingReviews({ opinions, commit, accounts }))
    remarks.set(opinion.id, await forge.remarks(pull.number, opinion));
  const doesCheck = settings.checks !== "none";
  return judgePull({
    ...{ commit, pull, opinions, remarks, accounts, settings, waitedMs, isMeant: forge.isMeant },
    required: settings.checks === "required" ? await forge.required(settings.base) : [],
    checks: doesCheck ? await forge.checks(commit) : { list: [], isWhole: true },
  });
}

/** A pull request that was merged does not change any more. */
function judged({ state }: Pull, verdict: PullVerdict): PullVerdict {
  if (state !== "merged" || verdict.kind === "approves") return verdict;
  const why = "It was merged at the forge without all that sett.yml asks for there";
  return { kind: "stops", why };
}

async function setStatus(look: Look, state: StatusState, text: string): Promise<void> {
  await note(look, "status", "begins", state);
  await look.forge.setStatus(look.commit, { state, text });
  await note(look, "status", "done", state);
}

async function note(
  look: Look,
  step: ForgeStep["step"],
  state: ForgeStep["state"],
  what: string,
): Promise<void> {
  await noteStep(look, look.artefact, { step, state, what });
}

/** Says once why the forge cannot decide, and a person has to. */
export async function noteStop(
  { board, agent }: Pick<PullParts, "board" | "agent">,
  { goal_id, id: artefact_id }: Artefact,
  why: string,
): Promise<void> {
  await board.recordTrigger({
    record: { goal: goal_id },
    mark: `forge:${agent.name}:stops`,
    value: `${artefact_id} ${why}`,
    event: {
      type: "forge_step",
      ...{ goal_id, artefact_id, agent: agent.name },
      data: { forge: agent.forge, step: "review", state: "stops", what: why },
    },
    actor: forgeActor(agent),
  });
}
