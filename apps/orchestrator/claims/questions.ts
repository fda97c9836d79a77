// Routes every question to an agent or to people, and its answer to the agent that asked
// (docs/internals/claims.md#questions). The stored state decides, so that handling a question twice
// is harmless.

import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import type { BoardAsOf, LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import { nextVersion, type Origin } from "../../../lib/core/new-artefact.ts";
import { assignedClaim } from "../../../lib/core/new-claim.ts";
import { type Route, routeQuestion } from "../../../lib/core/route-question.ts";
import { type ArtefactHead, isGoalFeedback } from "../../../lib/model/artefact.ts";
import { isCallQuestion } from "../../../lib/model/asked-call.ts";
import { isBudgetQuestion } from "../../../lib/model/budget-question.ts";
import { type Claim, type ClaimSnapshot, isEnded, questionOf } from "../../../lib/model/claim.ts";
import { type ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { Deps } from "../leader/deps.ts";
import { IsolatedJobs } from "../leader/isolated-jobs.ts";
import { decideByAnswer } from "./decide-by-answer.ts";
import { raiseByAnswer } from "./raise-by-answer.ts";

type AgentRoute = Extract<Route, { to: "agent" }>;

export class Questions {
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #questions = new SerialByKey<ArtefactId>();
  readonly #isolated: IsolatedJobs<ArtefactId>;

  constructor(deps: Deps, agentCache: AgentCache, decider: Decider) {
    this.#deps = deps;
    this.#agentCache = agentCache;
    this.#decider = decider;
    this.#isolated = new IsolatedJobs(
      deps.log,
      "Could not settle a question; it stays as it is",
      "artefact_id",
    );
  }

  /**
   * Asks the agent or the people whose turn it is, or delivers the answer. Does nothing where the
   * artefact is no question, or no grant waits for it.
   */
  settleQuestion(id: ArtefactId): Promise<void> {
    // One call after the other: where an answer arrives in between, the next call ends the
    // clarification that this one opens.
    return this.#questions.run(id, () => this.#settle(id));
  }

  /** All of them; one that fails stops no other. */
  async settleQuestions(ids: readonly ArtefactId[]): Promise<void> {
    await this.#isolated.run(ids, (id) => this.settleQuestion(id));
  }

  async #settle(id: ArtefactId): Promise<void> {
    const board = this.#deps.board.asOf();
    // First: a clarification that is complete has stored its answer before, so that an answer which
    // comes between the reads is seen.
    const clarifications = await this.#clarificationsOf(id);
    const [question, [answer]] = await Promise.all([readHead(board, id), board.answersOf([id])]);
    if (question?.structural_type !== "Question") return;
    if (answer !== undefined) return this.#deliverAnswer(question, answer, clarifications, board);
    if (
      clarifications.some(({ claim }) => !isEnded(claim.status)) ||
      !(await this.#isWaitedFor(question))
    )
      return;
    const route = await this.#route(question, clarifications);
    if (route.to === "agent") await this.#askAgent(question, route, board);
    else await this.#askPeople(question);
  }

  /** Settles the question that this answer belongs to, no matter who has answered. */
  async settleAnswer(id: ArtefactId): Promise<void> {
    const [question] = (await readHead(this.#deps.board, id))?.source_artefacts ?? [];
    if (question !== undefined) await this.settleQuestion(question);
  }

  /**
   * False for a clarification whose question has its answer, or is closed: no grant waits for its
   * result.
   */
  async isNeeded({ kind, artefact_id }: Claim): Promise<boolean> {
    if (kind !== "clarification") return true;
    const { board } = this.#deps;
    const [question, [answer]] = await Promise.all([
      readHead(board, artefact_id),
      board.answersOf([artefact_id]),
    ]);
    return question !== undefined && answer === undefined && (await this.#isWaitedFor(question));
  }

  /** The question needs no answer any more: ends the clarifications that are under way. */
  close(id: ArtefactId, reason: string, board: BoardAsOf): Promise<void> {
    // After a call that is under way: it may be about to ask an agent.
    return this.#questions.run(id, async () => {
      for (const { claim } of await this.#clarificationsOf(id)) {
        if (!isEnded(claim.status))
          await this.#decider.decide(claim.id, { kind: "question_closed", reason }, board);
      }
    });
  }

  async #clarificationsOf(question: ArtefactId): Promise<ClaimSnapshot[]> {
    const { board } = this.#deps;
    return board.readClaims([...(await board.claimsOfArtefact(question)).values()]);
  }

  /** Feedback on a goal waits for its author until the goal ends, which the blackboard checks. */
  async #isWaitedFor({ id, produced_by_agent, claim_id }: ArtefactHead): Promise<boolean> {
    if (produced_by_agent === "" || claim_id === "") return true;
    const asking = await this.#deps.board.readClaim(claim_id);
    return asking?.grants.some((grant) => questionOf(grant) === id) === true;
  }

  async #deliverAnswer(
    question: ArtefactHead,
    answer: ArtefactId,
    clarifications: ClaimSnapshot[],
    board: BoardAsOf,
  ): Promise<void> {
    const answerHead = await readHead(board, answer);
    for (const { claim } of clarifications) {
      if (isEnded(claim.status) || claim.id === answerHead?.claim_id) continue;
      const reason = `Answered by ${answererOf(answerHead)}`;
      await this.#decider.decide(claim.id, { kind: "question_closed", reason }, board);
    }
    const { id, claim_id, produced_by_agent } = question;
    // First, so that the next attempt finds the raised budget, and the word about its calls.
    if (isBudgetQuestion(question)) await raiseByAnswer(this.#deps, question, answer);
    if (isCallQuestion(question)) await decideByAnswer(this.#deps, question, answer);
    if (produced_by_agent !== "" && claim_id !== "")
      await this.#decider.decide(claim_id, { kind: "answered", question: id, answer }, board);
    else if (isGoalFeedback(question) && answerHead !== undefined)
      await this.#restateGoal(question, answerHead.id);
  }

  /** The answer to feedback on a goal is the goal's next version. */
  async #restateGoal({ source_artefacts }: ArtefactHead, id: ArtefactId): Promise<void> {
    const { board, clock, newId, log } = this.#deps;
    const [rejected] = source_artefacts;
    const [answer, goal] = await Promise.all([
      board.readArtefact(id),
      rejected && readHead(board, rejected),
    ]);
    if (
      answer === undefined ||
      goal === undefined ||
      String(goal.logical_id) !== String(goal.goal_id)
    )
      return;
    const { summary: _former, ...metadata } = goal.metadata;
    const { summary } = answer.metadata;
    const origin: Origin = {
      id: newId(),
      at: clock.now().toISOString(),
      role: goal.produced_by_role,
      agent: "",
      goal: goal.goal_id,
      claim: goal.claim_id,
    };
    const restated = nextVersion(goal, origin, {
      structural_type: goal.structural_type,
      type: goal.type,
      payload: answer.payload,
      sources: [goal.id, answer.id],
      metadata: { ...metadata, ...withoutUndefined({ summary }) },
    });
    // Refused where this was done before: the version exists.
    const { outcome } = await board.postAsLeader(restated);
    if (outcome === "created")
      log.info("Restated goal", { goal_id: goal.goal_id, artefact_id: restated.id });
  }

  async #route(question: ArtefactHead, clarifications: ClaimSnapshot[]): Promise<Route> {
    const { board, policy } = this.#deps;
    const isForPeople =
      policy.clarification === "human" || isBudgetQuestion(question) || isCallQuestion(question);
    if (isForPeople || question.produced_by_agent === "") return { to: "people" };
    const [agents, asking] = await Promise.all([this.#agentCache.list(), this.#askersOf(question)]);
    const tried = new Map(
      clarifications.flatMap(({ claim, grants }) =>
        grants.map(
          ({ agent }) =>
            [String(agent), claim.termination_reason || "Its answer is not on record."] as const,
        ),
      ),
    );
    const about: ArtefactHead[] = [];
    for (let next = question.source_artefacts[0]; next !== undefined; ) {
      const artefact = await readHead(board, next);
      if (artefact === undefined) break;
      about.push(artefact);
      const route = routeQuestion({ about, asking, tried, agents });
      if (route.to !== "fetch") return route;
      next = route.artefact;
    }
    return { to: "people" };
  }

  /**
   * The agent that asks this question; and, where it works on a clarification itself, the agents
   * that ask the questions that led to it.
   */
  async #askersOf(question: ArtefactHead): Promise<Set<string>> {
    const { board } = this.#deps;
    const askers = new Set<string>([question.produced_by_agent]);
    const seen = new Set([question.id]);
    for (
      let current: ArtefactHead | undefined = question;
      current !== undefined && current.claim_id !== "";
    ) {
      const asking: ClaimSnapshot | undefined = await board.readClaim(current.claim_id);
      if (asking?.claim.kind !== "clarification" || seen.has(asking.claim.artefact_id)) break;
      seen.add(asking.claim.artefact_id);
      current = await readHead(board, asking.claim.artefact_id);
      if (current !== undefined) askers.add(current.produced_by_agent);
    }
    return askers;
  }

  async #askPeople({ id, goal_id }: ArtefactHead): Promise<void> {
    const { board, log } = this.#deps;
    const { outcome } = await board.askPeople({ question: id });
    if (outcome === "asked") log.info("Routed a question to people", { artefact_id: id, goal_id });
  }

  /**
   * `board`: as of the connection on which what has led to the route was read. A Redis that crashed
   * may have lost a part of it.
   */
  async #askAgent(
    question: ArtefactHead,
    { agent, standIn }: AgentRoute,
    board: BoardAsOf,
  ): Promise<void> {
    const { clock, newId, policy, log } = this.#deps;
    const at = clock.now().toISOString();
    const { claim, grants } = assignedClaim(
      { id: ClaimId.parse(newId()), artefact: question.id, goal: question.goal_id, at },
      { kind: "clarification", agent, context: question.source_artefacts, standIn },
    );
    const open = { cause: `clarification:${agent}`, claim, grants };
    const result = await board.openClaim({ open, bidDeadlineMs: policy.bid_deadline_ms });
    switch (result.outcome) {
      case "opened":
        return log.info("Routed a question to an agent", {
          artefact_id: question.id,
          claim_id: claim.id,
          agent,
          instead_of: standIn?.for,
          because: standIn?.because,
        });
      case "exists":
      case "waits":
      case "refused":
        return;
      default:
        unreachable(result);
    }
  }
}

function answererOf(answer: ArtefactHead | undefined): string {
  return answer === undefined || answer.produced_by_agent === ""
    ? "a person"
    : answer.produced_by_agent;
}

async function readHead(
  board: LeaderBlackboard,
  id: ArtefactId,
): Promise<ArtefactHead | undefined> {
  return (await board.readHeads([id]))[0]?.head;
}
