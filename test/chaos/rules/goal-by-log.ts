// The status of a goal by the log alone: the events one after the other, and of artefacts what
// never changes.
import type { GoalState } from "../../../lib/core/goal-status.ts";
import { type Artefact, goalFeedbackType } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";

type LoggedClaim = { kind: string; artefact: string; state: "open" | "complete" | "terminated" };

class GoalByLog {
  ending: string | undefined;
  readonly #artefacts: Artefact[] = [];
  readonly #claims = new Map<string, LoggedClaim>();
  /** Artefacts with a standard claim. */
  readonly #claimed = new Set<string>();
  /** Claims that were tried again, or taken over. */
  readonly #triedAgain = new Set<string>();
  /** Claim and agent → what the grant waits for. */
  readonly #waits = new Map<string, string>();
  /** Claim and agent → the Failure of the last attempt. */
  readonly #failures = new Map<string, string>();
  /** Failures that another attempt has followed, and those that one was to follow. */
  readonly #madeGood = new Set<string>();
  readonly #toBeMadeGood = new Set<string>();
  readonly #openQuestions = new Set<string>();
  readonly #answered = new Map<string, string>();

  apply(
    event: SettEvent,
    artefact: Artefact | undefined,
    claimOf: (failure: string) => string,
  ): void {
    const { type, claim_id, agent, artefact_id = "", data } = event;
    const grant = `${claim_id} ${agent}`;
    const claim = this.#claims.get(String(claim_id));
    switch (type) {
      case "artefact_created":
        return artefact && this.#store(artefact);
      case "claim_opened": {
        const cause = String(data?.cause);
        this.#claims.set(String(claim_id), {
          kind: String(data?.kind),
          artefact: artefact_id,
          state: "open",
        });
        if (cause === "standard") this.#claimed.add(artefact_id);
        if (/^(?:retry|stand-in):/.test(cause))
          this.#triedAgain.add(claimOf(cause.slice(cause.indexOf(":") + 1)));
        return;
      }
      case "claim_completed":
      case "claim_terminated":
        if (claim !== undefined)
          claim.state = type === "claim_completed" ? "complete" : "terminated";
        return;
      case "grant_queued":
        this.#madeGood.add(this.#failures.get(grant) ?? "");
        return this.#endWait(grant);
      case "grant_waiting":
        this.#madeGood.add(this.#failures.get(grant) ?? "");
        this.#waits.set(grant, artefact_id);
        return;
      case "grant_failed":
        this.#failures.set(grant, artefact_id);
        return this.#endWait(grant);
      case "grant_retrying":
        this.#toBeMadeGood.add(this.#failures.get(grant) ?? "");
        return;
      case "grant_done":
      case "grant_cancelled":
        return this.#endWait(grant);
      case "question_asked":
        this.#openQuestions.add(artefact_id);
        return;
      case "question_closed":
        this.#openQuestions.delete(artefact_id);
        return;
      case "goal_ended":
        this.ending = String(data?.ending);
        return this.#openQuestions.clear();
      default:
    }
  }

  state(goal: string): GoalState {
    if (this.ending === "cancelled") return "cancelled";
    const isJudged = [...this.#waits].some(([grant, what]) => this.#isForJudgement(grant, what));
    if (this.#openQuestions.size > 0 || isJudged) return "waiting";
    if ([...this.#claims.values()].some(({ state }) => state === "open") || this.#isOwed(goal))
      return "running";
    const isOf = (structural: string) =>
      this.#artefacts.filter(({ structural_type }) => structural_type === structural);
    if (isOf("Failure").some((failure) => this.#counts(failure))) return "failed";
    if (isOf("Terminal").length > 0) return "achieved";
    return isOf("Standard").some(({ logical_id }) => String(logical_id) !== goal)
      ? "settled"
      : "stalled";
  }

  #store(artefact: Artefact): void {
    this.#artefacts.push(artefact);
    const [question] = artefact.source_artefacts;
    if (artefact.structural_type !== "Answer" || question === undefined) return;
    this.#openQuestions.delete(question);
    if (!this.#answered.has(question)) this.#answered.set(question, artefact.id);
  }

  #endWait(grant: string): void {
    this.#openQuestions.delete(this.#waits.get(grant) ?? "");
    this.#waits.delete(grant);
  }

  #isForJudgement(grant: string, what: string): boolean {
    const claim = this.#claims.get(grant.split(" ")[0] ?? "");
    return claim?.state === "open" && claim.artefact === what;
  }

  #isOwed(goal: string): boolean {
    if (this.ending !== undefined) return false;
    const taken = this.#artefacts
      .filter(({ logical_id }) => String(logical_id) === goal)
      .flatMap((one) => one.source_artefacts);
    return this.#artefacts.some(({ id, structural_type, type, produced_by_agent }) => {
      if (structural_type === "Standard") return !this.#claimed.has(id);
      const isFeedback =
        structural_type === "Question" && type === goalFeedbackType && produced_by_agent === "";
      return isFeedback && !taken.some((source) => source === this.#answered.get(id));
    });
  }

  #counts({ id, claim_id }: Artefact): boolean {
    if (this.#triedAgain.has(claim_id) || this.#madeGood.has(id)) return false;
    const claim = this.#claims.get(claim_id);
    if (claim?.kind === "clarification" && this.#answered.has(claim.artefact)) return false;
    if (claim !== undefined && this.#isReplaced(claim.artefact)) return false;
    if (this.#toBeMadeGood.has(id) && !this.#hasFailed(claim_id)) return false;
    return claim?.state !== "complete";
  }

  /** By an attempt that none was to follow. */
  #hasFailed(claim: string): boolean {
    return [...this.#failures].some(
      ([grant, failure]) => grant.startsWith(`${claim} `) && !this.#toBeMadeGood.has(failure),
    );
  }

  /** A person has posted another version of it. */
  #isReplaced(artefact: string): boolean {
    return this.#artefacts.some(
      ({ id, logical_id, claim_id, source_artefacts: [replaced] }) =>
        claim_id === "" && String(logical_id) !== String(id) && replaced === artefact,
    );
  }
}

/** Returns the state of each goal that the log tells of. */
export function statesByLog({ artefacts, events }: History): Map<string, GoalState> {
  const goals = new Map<string, GoalByLog>();
  const claimOf = (failure: string) => artefacts.get(failure)?.claim_id ?? "";
  for (const event of events) {
    const { goal_id } = event;
    if (goal_id === undefined) continue;
    const goal = goals.get(goal_id) ?? new GoalByLog();
    goals.set(goal_id, goal);
    goal.apply(event, artefacts.get(String(event.artefact_id)), claimOf);
  }
  return new Map([...goals].map(([id, goal]) => [id, goal.state(id)]));
}
