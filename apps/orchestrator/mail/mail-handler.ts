// What a message of an agent changes on the record, where it is the agent's to say. Who sends it is
// known from the key of its stream alone, and what it is about from the record: a message only says
// which claim, which attempt, and what the agent itself has done.
import { createHash } from "node:crypto";
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { Fresh } from "../../../lib/blackboard/mail/mailed-result.ts";
import type { AppliedMail, ClaimOfGrant } from "../../../lib/blackboard/port/grants.ts";
import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { Message, Reply, RunStart } from "../../../lib/blackboard/port/mail.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";
import { startedGrant } from "../../../lib/core/started-grant.ts";
import type { Grant, RunningGrant } from "../../../lib/model/claim.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { ClaimCache } from "../decide/claim-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { Deps } from "../leader/deps.ts";
import type { Letter } from "./letters.ts";
import { MailRefusals } from "./mail-refusals.ts";
import { no, noOf, replyOf } from "./mail-reply.ts";
import type { ReadEnvelope } from "./read-envelope.ts";
import { type FinishOrder, ResultStore } from "./result-store.ts";
import { laterOf, runAt, timeOf, withPossibleStart } from "./times-of-record.ts";

type Board = Deps["board"];

/** Of a sentence that may have words of the agent's in it. It goes into the log. */
const maxReasonLength = 500;

/**
 * Who says it, and where. `at`: made from the message's place in its stream, for what it leaves
 * out. `readOn`: the connection on which it was read.
 */
type Origin = {
  agent: AgentName;
  host: string | undefined;
  mail: AppliedMail;
  at: string;
  readOn: number;
};

/** `cache`: where most claims need not be read. */
export type MailOptions = {
  agentCache: AgentCache;
  cache?: Pick<ClaimCache, "get" | "start">;
  /** Decides about a claim together with the result that it follows from. */
  decider?: Pick<Decider, "finish">;
  grantLeaseMs: number;
};

type OfAttempt = { attempt?: number | undefined; queued_at?: string | undefined };

type ResultMessage = Extract<Message, { say: "result" }>;
type StoredGrant<Known extends Grant = Grant> = { claim: ClaimOfGrant; grant: Known };

/** A run beyond these is read again. */
const maxRunning = 10_000;

export class MailHandler {
  readonly #board: Board;
  readonly #grantLeaseMs: number;
  readonly #refusals: MailRefusals;
  readonly #clock: Deps["clock"];
  readonly #cache: MailOptions["cache"];
  readonly #results: ResultStore;
  /**
   * Claim and agent → the run that was started last, as it is stored, by the connection on which
   * its message was read.
   */
  readonly #running = new RecentMap<string, StoredGrant<RunningGrant> & { readOn: number }>(
    maxRunning,
  );

  constructor(deps: Deps, { agentCache, cache, decider, grantLeaseMs }: MailOptions) {
    this.#cache = cache;
    this.#results = new ResultStore(deps, { agentCache, decider });
    this.#clock = deps.clock;
    this.#board = deps.board;
    this.#grantLeaseMs = grantLeaseMs;
    this.#refusals = new MailRefusals(deps);
  }

  /**
   * `ended`: the step that has applied it has answered it, too. Safe to repeat. Rejects with
   * `redis-unreachable`, also on a later connection than `readOn`, with Fenced, and with
   * `blackboard-refused` where a function fails: another try may succeed.
   */
  async apply(mail: Mail, envelope: ReadEnvelope, readOn: number): Promise<Reply | "ended"> {
    const { agent } = mail;
    if (!envelope.ok) return this.#refuse({ agent, readOn }, envelope.reason);
    const { host, message } = envelope.value;
    try {
      const applied = appliedMail({ mail, envelope });
      return await this.#applyMessage(
        { agent, host, mail: applied, at: timeOf(mail, this.#clock.now()), readOn },
        message,
      );
    } catch (error) {
      if (isAway(error) || error instanceof Fenced || isOutOfOrder(error)) throw error;
      // A claim that a person has broken by hand.
      return this.#refuse({ agent, readOn }, messageOf(error));
    }
  }

  /**
   * What cannot be applied, however often it is tried: a value that Redis refuses, or a function
   * that stays out of order.
   */
  refuse({ agent }: Pick<Mail, "agent">, error: unknown, readOn: number): Promise<Reply> {
    return this.#refuse({ agent, readOn }, messageOf(error));
  }

  /**
   * A start, and the result of the same work. `apart`: each is to be applied by itself, because one
   * of them may have to be refused. Rejects as `apply` does.
   */
  async applyTogether(first: Letter, second: Letter, readOn: number): Promise<"ended" | "apart"> {
    if (!first.envelope.ok || !second.envelope.ok) return "apart";
    const [{ message: start }, { host, message }] = [first.envelope.value, second.envelope.value];
    if (start.say !== "started" || message.say !== "result") return "apart";
    const { agent } = second.mail;
    const stored = this.#queuedGrant(agent, start.claim, start);
    if (stored === undefined || this.#refusals.hasTooManyResults(agent)) return "apart";
    const now = this.#clock.now();
    const origin = { agent, host, mail: appliedMail(second), at: timeOf(second.mail, now), readOn };
    const startedAt = timeOf(first.mail, now);
    const run = withPossibleStart(start.run ?? runAt(startedAt), stored.grant.queued_at, startedAt);
    try {
      const { claim } = message;
      if (await this.#results.givenProblem({ claim, agent, ids: run.context_ids })) return "apart";
      const result = await this.#results.read(message.result, freshOf(origin), stored);
      if (typeof result === "string") return "apart";
      const began = { leaseMs: this.#grantLeaseMs, mail: appliedMail(first) };
      const grant = startedGrant(stored.grant, run);
      const endedAt = laterOf(origin.at, grant.started_at);
      const { outcome } = await this.#results.store({
        ...origin,
        claim,
        grant,
        endedAt,
        result,
        start: began,
      });
      return outcome === "finished" ? "ended" : "apart";
    } catch (error) {
      if (isAway(error) || error instanceof Fenced) throw error;
      return "apart";
    }
  }

  async #applyMessage(origin: Origin, message: Message): Promise<Reply | "ended"> {
    const board = this.#board;
    const { agent, readOn } = origin;
    const { claim } = message;
    switch (message.say) {
      case "bid": {
        const { word, reason } = message;
        const placed = await board.placeBid({ ...origin, claim, word, reason });
        return placed.outcome === "placed" ? { outcome: "yes", word: placed.word } : noOf(placed);
      }
      case "asks_model":
        return replyOf(await board.allowBidCalls({ claim, agent, digest: message.digest, readOn }));
      case "alive":
        return this.#renew(origin, message);
      case "started":
        return this.#start(origin, message);
      case "result":
        return this.#finish(origin, message);
      default:
        return unreachable(message);
    }
  }

  async #renew(
    { agent, readOn }: Origin,
    { claim, ...message }: Extract<Message, { say: "alive" }>,
  ): Promise<Reply> {
    const attempt =
      message.attempt ?? (await this.#board.readGrant(claim, agent))?.grant.attempt ?? 1;
    return replyOf(
      await this.#board.renewLease({ claim, agent, attempt, leaseMs: this.#grantLeaseMs, readOn }),
    );
  }

  /** What the run says of itself, added to the grant as it is stored. */
  async #start(
    origin: Origin,
    { claim, ...message }: Extract<Message, { say: "started" }>,
  ): Promise<Reply | "ended"> {
    const stored =
      this.#queuedGrant(origin.agent, claim, message) ??
      (await this.#board.readGrant(claim, origin.agent));
    if (stored === undefined) return no(`Claim ${claim} has no grant for ${origin.agent}.`);
    const { grant } = stored;
    const { attempt = grant.attempt, queued_at = grant.queued_at } = message;
    const run = withPossibleStart(message.run ?? runAt(origin.at), grant.queued_at, origin.at);
    if (grant.attempt < attempt)
      return no(`The grant is ${grant.state} in attempt ${grant.attempt}.`);
    const problem = await this.#results.givenProblem({
      claim,
      agent: origin.agent,
      ids: run.context_ids,
    });
    if (problem !== undefined) return this.#refuse(origin, problem);
    if (grant.state === "running" && grant.attempt === attempt && isRun(grant, run))
      return { outcome: "yes" };
    const running = { ...startedGrant(grant, run), attempt, queued_at };
    const { host, readOn, mail } = origin;
    const accepted = await this.#board.acceptGrant({
      claim,
      grant: running,
      leaseMs: this.#grantLeaseMs,
      host,
      readOn,
      mail,
    });
    if (accepted.outcome === "refused") return noOf(accepted);
    this.#cache?.start(claim, running, readOn);
    this.#running.set(`${claim} ${origin.agent}`, {
      claim: stored.claim,
      grant: running,
      readOn: origin.readOn,
    });
    return "ended";
  }

  /** As this leader has queued it. */
  #queuedGrant(
    agent: AgentName,
    id: ClaimId,
    { attempt, queued_at }: OfAttempt,
  ): StoredGrant | undefined {
    const known = this.#cache?.get(id);
    const grant = known?.grants.find((one) => one.agent === agent);
    if (known === undefined || grant?.state !== "queued") return undefined;
    return grant.attempt === attempt && grant.queued_at === queued_at
      ? { claim: known.claim, grant }
      : undefined;
  }

  /** As this leader has stored it. */
  #runningGrant(
    { agent, readOn }: Origin,
    id: ClaimId,
    { attempt, queued_at }: OfAttempt,
  ): StoredGrant | undefined {
    const known = this.#running.get(`${id} ${agent}`);
    const isIt =
      known?.readOn === readOn &&
      known.grant.attempt === attempt &&
      known.grant.queued_at === queued_at;
    return isIt ? known : undefined;
  }

  async #finish(origin: Origin, message: ResultMessage): Promise<Reply | "ended"> {
    const { agent } = origin;
    const { claim: id } = message;
    const stored =
      this.#runningGrant(origin, id, message) ?? (await this.#board.readGrant(id, agent));
    if (stored === undefined) return this.#refuse(origin, `Claim ${id} has no grant for ${agent}.`);
    const { claim, grant } = stored;
    const { attempt = grant.attempt, queued_at = grant.queued_at } = message;
    const read = await this.#results.read(message.result, freshOf(origin), stored);
    if (typeof read === "string") return this.#refuse(origin, read);
    const isCurrent = grant.attempt === attempt && grant.queued_at === queued_at;
    if (grant.attempt < attempt)
      return this.#refuse(origin, `The grant is ${grant.state} in attempt ${grant.attempt}.`);
    const run = withPossibleStart(message.run ?? runAt(origin.at), grant.queued_at, origin.at);
    const isOnRecord = grant.state === "running" && isCurrent;
    const problem = isOnRecord
      ? undefined
      : await this.#results.givenProblem({ claim: id, agent, ids: run.context_ids });
    if (problem !== undefined) return this.#refuse(origin, problem);
    const running = isOnRecord ? grant : { ...startedGrant(grant, run), attempt, queued_at };
    const endedAt = laterOf(origin.at, running.started_at);
    // A result that counts is stored, however many did not: only their events are limited.
    const isUnlogged = this.#refusals.hasTooManyResults(agent);
    const order: FinishOrder = {
      ...origin,
      claim: claim.id,
      grant: running,
      endedAt,
      result: read,
      isUnlogged,
    };
    // Who says no more than the result has begun as well; or Redis has lost that it began.
    const isQueued = grant.state === "queued" && isCurrent;
    const together = isQueued
      ? await this.#results.store({ ...order, start: { leaseMs: this.#grantLeaseMs } })
      : undefined;
    const finished =
      together === undefined || together.outcome === "not_started"
        ? await this.#results.store(order)
        : together;
    this.#running.delete(`${id} ${agent}`);
    if (finished.outcome === "finished") return "ended";
    if (finished.outcome === "id_taken") return this.#refuse(origin, finished.reason);
    if (isUnlogged) return this.#refuse(origin, finished.reason);
    this.#refusals.countResult(agent);
    return no(finished.reason);
  }

  async #refuse(
    { agent, readOn }: Pick<Origin, "agent" | "readOn">,
    problem: string,
  ): Promise<Reply> {
    const reason = problem.slice(0, maxReasonLength);
    await this.#refusals.record(agent, reason, readOn);
    return no(reason);
  }
}

function isOutOfOrder(error: unknown): boolean {
  return error instanceof SettError && error.code === "blackboard-refused";
}

/** The same each time that the message is read. */
function idOf(agent: AgentName, { place }: AppliedMail): string {
  const hash = createHash("sha256").update(`${agent} ${place}`).digest("hex");
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
}

function freshOf({ agent, mail, at }: Origin): Fresh {
  return { newId: () => idOf(agent, mail), at };
}

function appliedMail({ mail, envelope }: Letter): AppliedMail {
  return { place: mail.place, id: mail.id, isQuiet: envelope.ok && envelope.value.quiet === true };
}

function isRun({ run_id, started_at }: RunningGrant, run: RunStart): boolean {
  return run_id === run.run_id && (run_id !== undefined || started_at === run.started_at);
}
