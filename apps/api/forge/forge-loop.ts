// Looks at everything that built-in agents of forges review, until the signal. The forge and the
// record have all that it knows, so that it may end at any moment, and a second one does no harm.
import { z } from "zod";
import { Doorbell } from "../../../lib/async/doorbell.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { judge } from "../../../lib/client/actions/judge.ts";
import { signingOf } from "../../../lib/client/actions/sign.ts";
import { type Forge, ForgeError } from "../../../lib/forge/port.ts";
import type { PushAt } from "../../../lib/forge/receive-pack.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { isForApproval, type WaitingGrant } from "../../../lib/model/claim.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { KnownProblems } from "../../../lib/service/known-problems.ts";
import { isPausedBy, lookAtPaused } from "./closed-pull.ts";
import { mergePull, unfinishedReviewers } from "./merge-pull.ts";
import { lookAtPull, noteStop, pullsOf, type Refusals } from "./pull-agent.ts";
import type { PullParts } from "./pull-parts.ts";
import { forgeActor, type PullAgent } from "./settings.ts";

export type ForgeParts = Omit<PullParts, "forge" | "pushAt" | "agent"> & {
  agents: readonly PullAgent[];
  /** The forge of an agent; undefined where its token is not there yet. */
  forgeOf: (agent: PullAgent) => Promise<{ forge: Forge; pushAt: PushAt } | undefined>;
  now: () => number;
  log: JsonLog;
};

/**
 * Between two looks at one pull request: the first ones come sooner, since what is quick at the
 * forge has happened then.
 */
const everyMs = { first: 1_000, most: 20_000 };
const retryMs = 1_000;
/** A forge that does not answer is left alone for so long. */
const awayMs = 5_000;
/** The record is looked through so often, beside what the log says. */
const sweepMs = 10_000;
const claimsAtOnce = 200;

export const unknownForm = "The forge answers in a form that Sett does not know";

type Waiting = {
  claim: ClaimId;
  artefact: ArtefactId;
  grant: WaitingGrant;
  agent: PullAgent;
  /** The others that review the artefact, and have not approved it yet. */
  reviewers: AgentName[];
  /** The agent itself has paused the goal. */
  isPaused: boolean;
};

export class ForgeLoop {
  readonly #parts: ForgeParts;
  readonly #refusals: Refusals = new Map();
  /** Artefact and agent → when it may be looked at again. */
  #next = new Map<string, { at: number; afterMs: number }>();
  /** Forge → until when it is left alone. */
  readonly #busy = new Map<string, number>();
  readonly #problems = new KnownProblems();

  constructor(parts: ForgeParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const bell = new Doorbell();
    const following = this.#ring(bell, signal);
    while (!signal.aborted) {
      await this.tick();
      await bell.wait(this.#pauseMs(), signal);
    }
    await following;
  }

  /** One look at everything that is due. Never rejects. */
  async tick(): Promise<void> {
    const { board, now } = this.#parts;
    try {
      if ((await board.readPause()) !== undefined) return;
      const waiting = await this.#waiting();
      const keys = new Set(waiting.map(keyOf));
      this.#next = new Map([...this.#next].filter(([key]) => keys.has(key)));
      const forges = Map.groupBy(waiting, ({ agent }) => agent.forge);
      // A forge that does not answer keeps no other waiting.
      await Promise.all(
        [...forges.values()].map(async (ofOne) => {
          for (const one of ofOne) if (now() >= this.#dueOf(one)) await this.#safely(one);
        }),
      );
    } catch (error) {
      this.#say("record", messageOf(error));
    }
  }

  #dueOf(one: Waiting): number {
    return Math.max(this.#next.get(keyOf(one))?.at ?? 0, this.#busy.get(one.agent.forge) ?? 0);
  }

  #pauseMs(): number {
    const next = Math.min(...[...this.#next.values()].map(({ at }) => at - this.#parts.now()));
    return Math.max(everyMs.first, Math.min(next, sweepMs));
  }

  async #ring(bell: Doorbell, signal: AbortSignal): Promise<void> {
    const { board, agents } = this.#parts;
    const names = new Set<string>(agents.map(({ name }) => name));
    while (!signal.aborted)
      try {
        const events = board.followEvents(await board.endOfEvents(), signal);
        for await (const page of events)
          if (page.some(({ type, agent }) => type === "grant_queued" && names.has(agent ?? "")))
            bell.ring();
      } catch (error) {
        if (signal.aborted) return;
        this.#say("log", messageOf(error));
        await sleep(retryMs, signal);
      }
  }

  async #waiting(): Promise<Waiting[]> {
    const { board, agents } = this.#parts;
    const [open, paused] = await Promise.all([board.listOpenClaims(), board.readPausedGoals()]);
    const found: Waiting[] = [];
    for (let from = 0; from < open.length; from += claimsAtOnce) {
      const claims = await board.readClaims(open.slice(from, from + claimsAtOnce));
      for (const snapshot of claims) {
        const { claim, grants } = snapshot;
        for (const grant of grants.filter(isForApproval)) {
          const agent = agents.find(({ name }) => name === grant.agent);
          const pause = paused.get(claim.goal_id);
          const isPaused = pause !== undefined;
          if (agent === undefined || (isPaused && !isPausedBy(agent, pause.by))) continue;
          const reviewers = unfinishedReviewers(snapshot, agent.name);
          const about = { claim: claim.id, artefact: claim.artefact_id, reviewers };
          found.push({ ...about, grant, agent, isPaused });
        }
      }
    }
    return found;
  }

  async #safely(one: Waiting): Promise<void> {
    const { now } = this.#parts;
    const key = keyOf(one);
    const { afterMs = everyMs.first / 2 } = this.#next.get(key) ?? {};
    const next = Math.min(2 * afterMs, everyMs.most);
    this.#next.set(key, { at: now() + next, afterMs: next });
    try {
      await this.#look(one);
      this.#problems.forget(key);
    } catch (error) {
      if (error instanceof ForgeError && error.kind === "away")
        this.#busy.set(one.agent.forge, now() + Math.max(error.waitMs, awayMs));
      const unknown = error instanceof z.ZodError;
      const why = unknown ? unknownForm : messageOf(error);
      this.#say(key, unknown ? `${why}: ${messageOf(error)}` : why);
      if (unknown || isForPerson(error)) await this.#stop(one, why);
    }
  }

  async #stop({ artefact, agent }: Waiting, why: string): Promise<void> {
    try {
      const read = await this.#parts.board.readWithDigest(artefact);
      if (read !== undefined) await noteStop({ ...this.#parts, agent }, read.artefact, why);
    } catch (error) {
      this.#say("record", messageOf(error));
    }
  }

  async #look({ claim, artefact: id, grant, agent, reviewers, isPaused }: Waiting): Promise<void> {
    const { board, forgeOf, now } = this.#parts;
    const read = await board.readWithDigest(id);
    const ways = await forgeOf(agent);
    if (read === undefined || ways === undefined) return;
    const { artefact } = read;
    const parts = { ...this.#parts, ...ways, agent };
    if (isPaused)
      return await lookAtPaused(parts, artefact.goal_id, await pullsOf(parts, artefact.goal_id));
    const waitedMs = now() - Date.parse(grant.started_at);
    const verdict = await lookAtPull(parts, { artefact, waitedMs }, this.#refusals);
    switch (verdict.kind) {
      case "waits":
        return;
      case "stops":
        return await noteStop(parts, artefact, verdict.why);
      default: {
        const isSigned = signingOf(await board.listAgents())?.required === true;
        if (isSigned) return await noteStop(parts, artefact, mustSign(artefact, agent));
        const approves = verdict.kind === "approves";
        const merge = approves ? await mergePull(parts, { artefact, reviewers }) : undefined;
        if (merge?.kind === "waits") return;
        const judged = { ...read, pending: { claim, grant } };
        const suggest = (command: string) => `sett ${command}`;
        const reason = `${verdict.words}${merge?.words ?? ""}`;
        await judge(board, judged, { approves, reason, actor: forgeActor(agent), suggest });
      }
    }
  }

  #say(key: string, problem: string): void {
    if (!this.#problems.isNew(key, problem)) return;
    this.#parts.log.warn("Could not look at a forge, and goes on trying", { about: key, problem });
  }
}

/** A forge's approval is a hint then, and no verdict. */
function mustSign({ id }: Artefact, { name }: PullAgent): string {
  return `A forge does not sign, and each verdict has to be signed (sett approve ${id} --for ${name} --sign)`;
}

/** Whether more looks alone may not help, so that a person should know of it. */
function isForPerson(error: unknown): boolean {
  if (error instanceof ForgeError) return error.kind === "refused";
  return error instanceof SettError && error.code === "git-failed";
}

function keyOf({ artefact, agent }: Waiting): string {
  return `${artefact} ${agent.name}`;
}
