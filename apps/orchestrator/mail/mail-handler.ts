// Changes the record as a message of an agent says, where it is the agent's to say. Who sends it is
// known from the key of its stream alone, and what it is about from the record: a message only says
// which claim, which attempt, and what the agent itself has done.
import { createHash } from "node:crypto";
import type { Fresh } from "../../../lib/blackboard/mail/mailed-result.ts";
import type { AppliedMail, ClaimOfGrant } from "../../../lib/blackboard/port/grants.ts";
import { type BoardAsOf, Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { Message, Reply, RunStart } from "../../../lib/blackboard/port/mail.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";
import type { Refused } from "../../../lib/blackboard/port/refused.ts";
import { startedGrant } from "../../../lib/core/started-grant.ts";
import type { Grant, RunningGrant } from "../../../lib/model/claim.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { KnownClaims } from "../decide/known-claims.ts";
import type { Deps } from "../leader/deps.ts";
import type { MailRefusals } from "./mail-refusals.ts";
import type { ReadMessage } from "./read-message.ts";
import { type FinishOrder, ResultStore } from "./result-store.ts";
import { laterOf, runAt, timeOf, withPossibleStart } from "./times-of-record.ts";

/** A sentence for the log may have words of the agent's in it. */
const maxReasonLength = 500;

/**
 * The sender, and the place. `at`: made from the message's place in its stream, for what it leaves
 * out.
 */
type Origin = { agent: AgentName; host: string | undefined; mail: AppliedMail; at: string };

/** `known`: where most claims need not be read. `refusals`: of all connections. */
export type MailOptions = {
  agentCache: AgentCache;
  known?: Pick<KnownClaims, "get" | "start">;
  /** Decides about a claim together with the result that it follows from. */
  decider?: Pick<Decider, "finish">;
  grantLeaseMs: number;
  refusals: MailRefusals;
};

type OfAttempt = Pick<ResultMessage, "claim" | "attempt" | "queued_at">;

export type ResultMessage = Extract<Message, { say: "result" }>;
type StoredGrant = { claim: ClaimOfGrant; grant: Grant };

/** The handler of what is read on one connection. */
export class MailHandler {
  readonly #board: BoardAsOf;
  readonly #grantLeaseMs: number;
  readonly #refusals: MailRefusals;
  readonly #clock: Deps["clock"];
  readonly #known: MailOptions["known"];
  readonly #results: ResultStore;

  constructor(board: BoardAsOf, clock: Deps["clock"], options: MailOptions) {
    this.#board = board;
    this.#clock = clock;
    this.#known = options.known;
    this.#results = new ResultStore(board, options);
    this.#grantLeaseMs = options.grantLeaseMs;
    this.#refusals = options.refusals;
  }

  /**
   * `ended`: the step that has applied it has answered it, too. Safe to repeat. Rejects with
   * `redis-unreachable`, also on a later connection, with Fenced, and with
   * `blackboard-refused` where a function fails: another try may succeed.
   */
  async apply(mail: Mail, read: ReadMessage): Promise<Reply | "ended"> {
    const { agent, place, id } = mail;
    if (!read.ok) return this.#refuse(agent, read.reason);
    const { host, quiet, message } = read.value;
    try {
      const applied = { place, id, isQuiet: quiet === true };
      const at = timeOf(mail, this.#clock.now());
      return await this.#applyMessage({ agent, host, mail: applied, at }, message);
    } catch (error) {
      if (isAway(error) || error instanceof Fenced || isOutOfOrder(error)) throw error;
      // A claim that a person has broken by hand.
      return this.#refuse(agent, messageOf(error));
    }
  }

  /**
   * Refuses what cannot be applied, however often it is tried: a value that Redis does not take, or
   * a function that stays out of order.
   */
  refuse({ agent }: Pick<Mail, "agent">, error: unknown): Promise<Reply> {
    return this.#refuse(agent, messageOf(error));
  }

  /**
   * The agent has done with the work whose result cannot be stored yet, and what it says of its
   * lease waits behind the result. Never rejects.
   */
  async keepLease(agent: AgentName, message: ResultMessage): Promise<void> {
    await this.#renew({ agent }, message).catch(() => {});
  }

  async #applyMessage(origin: Origin, message: Message): Promise<Reply | "ended"> {
    const board = this.#board;
    const { agent } = origin;
    const { claim } = message;
    switch (message.say) {
      case "bid": {
        const { word, reason } = message;
        const placed = await board.placeBid({ ...origin, claim, word, reason });
        return placed.outcome === "placed" ? { outcome: "yes", word: placed.word } : noOf(placed);
      }
      case "asks_model":
        return replyOf(await board.allowBidCalls({ claim, agent, digest: message.digest }));
      case "alive":
        return this.#renew(origin, message);
      case "prepares":
        return this.#notePreparing(origin, message);
      case "started":
        return this.#start(origin, message);
      case "result":
        return this.#finish(origin, message);
      default:
        return unreachable(message);
    }
  }

  async #renew(
    { agent }: Pick<Origin, "agent">,
    { claim, ...message }: Pick<Extract<Message, { say: "alive" }>, "claim" | "attempt">,
  ): Promise<Reply> {
    const attempt = await this.#attemptOf(agent, claim, message);
    return replyOf(
      await this.#board.renewLease({ claim, agent, attempt, leaseMs: this.#grantLeaseMs }),
    );
  }

  async #notePreparing(
    { agent }: Origin,
    { claim, files = 0, of = 0, over, ...message }: Extract<Message, { say: "prepares" }>,
  ): Promise<Reply> {
    const attempt = await this.#attemptOf(agent, claim, message);
    const progress = over === true ? "over" : { files, of };
    return replyOf(await this.#board.notePreparing({ claim, agent, attempt, progress }));
  }

  async #attemptOf(
    agent: AgentName,
    claim: Message["claim"],
    message: Pick<OfAttempt, "attempt">,
  ): Promise<number> {
    return message.attempt ?? (await this.#board.readGrant(claim, agent))?.grant.attempt ?? 1;
  }

  /** Adds what the run says of itself to the grant as it is stored. */
  async #start(
    origin: Origin,
    message: Extract<Message, { say: "started" }>,
  ): Promise<Reply | "ended"> {
    const { claim } = message;
    const stored = await this.#grantOf(origin.agent, message, "queued");
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
    if (problem !== undefined) return this.#refuse(origin.agent, problem);
    if (grant.state === "running" && grant.attempt === attempt && isRun(grant, run))
      return { outcome: "yes" };
    const running = { ...startedGrant(grant, run), attempt, queued_at };
    const { host, mail } = origin;
    const accepted = await this.#board.acceptGrant({
      claim,
      grant: running,
      leaseMs: this.#grantLeaseMs,
      host,
      mail,
    });
    if (accepted.outcome === "refused") return noOf(accepted);
    this.#known?.start(claim, running, this.#board.connection);
    return "ended";
  }

  /** As this leader knows it where it is in this state and attempt; otherwise as it is stored. */
  async #grantOf(
    agent: AgentName,
    { claim: id, attempt, queued_at }: OfAttempt,
    state: "queued" | "running",
  ): Promise<StoredGrant | undefined> {
    const known = this.#known?.get(id);
    const grant = known?.grants.find((one) => one.agent === agent);
    if (known !== undefined && grant?.state === state && isWhole(grant)) {
      const { claim } = known;
      if (grant.attempt === attempt && grant.queued_at === queued_at) return { claim, grant };
    }
    return await this.#board.readGrant(id, agent);
  }

  async #finish(origin: Origin, message: ResultMessage): Promise<Reply | "ended"> {
    const { agent } = origin;
    const { claim: id } = message;
    const stored = await this.#grantOf(agent, message, "running");
    if (stored === undefined)
      return this.#refuse(origin.agent, `Claim ${id} has no grant for ${agent}.`);
    const { claim, grant } = stored;
    const { attempt = grant.attempt, queued_at = grant.queued_at } = message;
    const read = await this.#results.read(message.result, freshOf(origin), { ...stored, attempt });
    if (typeof read === "string") return this.#refuse(origin.agent, read);
    const isCurrent = grant.attempt === attempt && grant.queued_at === queued_at;
    if (grant.attempt < attempt)
      return this.#refuse(origin.agent, `The grant is ${grant.state} in attempt ${grant.attempt}.`);
    const run = withPossibleStart(message.run ?? runAt(origin.at), grant.queued_at, origin.at);
    const isOnRecord = grant.state === "running" && isCurrent;
    const problem = isOnRecord
      ? undefined
      : await this.#results.givenProblem({ claim: id, agent, ids: run.context_ids });
    if (problem !== undefined) return this.#refuse(origin.agent, problem);
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
    // An agent that says only the result has begun as well; or Redis has lost that it began.
    const isQueued = grant.state === "queued" && isCurrent;
    const together = isQueued
      ? await this.#results.store({ ...order, start: { leaseMs: this.#grantLeaseMs } })
      : undefined;
    const finished =
      together === undefined || together.outcome === "not_started"
        ? await this.#results.store(order)
        : together;
    if (finished.outcome === "finished") return "ended";
    if (finished.outcome === "id_taken") return this.#refuse(origin.agent, finished.reason);
    if (isUnlogged) return this.#refuse(origin.agent, finished.reason);
    this.#refusals.countResult(agent);
    return no(finished.reason);
  }

  async #refuse(agent: AgentName, problem: string): Promise<Reply> {
    const reason = problem.slice(0, maxReasonLength);
    await this.#refusals.record(agent, reason, this.#board);
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

/** False for a run that an earlier leader has put on record: the log does not have all of it. */
function isWhole(grant: Grant): boolean {
  return grant.state !== "running" || grant.run_id !== undefined;
}

function isRun({ run_id, started_at }: RunningGrant, run: RunStart): boolean {
  return run_id === run.run_id && (run_id !== undefined || started_at === run.started_at);
}

function replyOf(answer: { outcome: string } | Refused): Reply {
  return "reason" in answer ? noOf(answer) : { outcome: "yes" };
}

function noOf({ reason }: Refused): Reply {
  return no(reason);
}

function no(reason: string): Reply {
  return { outcome: "no", reason };
}
