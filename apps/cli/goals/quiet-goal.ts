// Says whom a followed goal waits for, while nothing happens that would be printed.
import { sleep } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { KnownArtefacts } from "../../../lib/client/facts/artefacts.ts";
import {
  blockedReasonOf,
  hasOrchestrator,
  type Situation,
} from "../../../lib/client/facts/blocked-reason.ts";
import { readGoal, readSituation } from "../../../lib/client/facts/goal.ts";
import { orchestratorProblem, waitingText } from "../../../lib/client/render/waiting-text.ts";
import { isForPeople, type Waiting } from "../../../lib/core/goal-status.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { commandFor } from "../render/waiting-next.ts";
import type { Shell } from "../terminal/shell.ts";

/** How long nothing is printed before it is said why, and how often it is looked at again. */
const quietMs = 10_000;
/** How long, where an agent prepares its workspace: that it does is known after two seconds. */
const preparingMs = 3_000;
const maxShown = 5;

export class QuietGoal implements AsyncDisposable {
  readonly #shell: Shell;
  readonly #goal: GoalId;
  readonly #known: KnownArtefacts;
  readonly #over = new AbortController();
  readonly #saying: Promise<void>;
  #board: PersonBlackboard | undefined;
  #since = performance.now();
  #said = "";

  constructor(shell: Shell, goal: GoalId, known: KnownArtefacts) {
    this.#shell = shell;
    this.#goal = goal;
    this.#known = known;
    this.#saying = this.#run();
  }

  /** `board`: the present connection. `hasNews`: something was printed. */
  update(board: PersonBlackboard, hasNews: boolean): void {
    this.#board = board;
    if (hasNews) this.#since = performance.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#saying;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const quietForMs = performance.now() - this.#since;
      if (quietForMs >= preparingMs) await this.#look(quietForMs < quietMs);
      const next = [preparingMs, quietMs].find((each) => each > quietForMs) ?? quietForMs + quietMs;
      await sleep(next - quietForMs, this.#over.signal);
    }
  }

  /**
   * Says it once, and again when the goal waits for something else, or for another reason.
   * `isEarly`: only what prepares a workspace is said.
   */
  async #look(isEarly: boolean): Promise<void> {
    const since = this.#since;
    const waits = await this.#read();
    // Meanwhile the goal may have gone on, or have come to its end.
    if (waits === undefined || this.#over.signal.aborted || since !== this.#since) return;
    const reasonOf = (each: Waiting) => blockedReasonOf(each, waits.situation)?.reason;
    if (isEarly && !waits.waiting.some((each) => reasonOf(each) === "preparing")) return;
    const facts = JSON.stringify(waits.waiting.map((each) => factsOf(each, waits.situation)));
    if (facts === this.#said) return;
    this.#said = facts;
    const { messages, suggest } = this.#shell;
    const problem = orchestratorProblem(waits.situation);
    if (problem !== undefined) {
      messages.note(`The goal waits, because ${problem}.`);
      messages.next(suggest("up"));
    }
    for (const each of waits.waiting.slice(0, maxShown)) {
      messages.note(`The goal waits for ${waitingText(each, waits.situation)}.`);
      const command = commandFor(each, waits.situation);
      if (command !== undefined) messages.next(suggest(command));
    }
    const more = waits.waiting.length - maxShown;
    if (more > 0)
      messages.note(
        `It waits for ${more} more: ${suggest(`status --goal ${shortId(this.#goal)}`)}`,
      );
  }

  /** Undefined without a connection, which another message says. */
  async #read(): Promise<{ waiting: Waiting[]; situation: Situation } | undefined> {
    const board = this.#board;
    if (board === undefined) return undefined;
    try {
      const [situation, { status }] = await Promise.all([
        readSituation(board, this.#shell.suggest),
        readGoal(board, this.#goal, this.#known),
      ]);
      // A question to a person is asked at the prompt, or when the goal rests.
      return { waiting: status.waitingFor.filter((each) => !isForPeople(each)), situation };
    } catch (error) {
      if (error instanceof SettError) return undefined;
      throw error;
    }
  }
}

/**
 * Says what a wait is for and why, without the times; of a workspace that is prepared also which
 * tenth of its files is there.
 */
function factsOf(waiting: Waiting, situation: Situation): unknown[] {
  const { since: _since, ...what } = waiting;
  const why = blockedReasonOf(waiting, situation);
  const tenth =
    why?.reason === "preparing" ? Math.floor((10 * why.files) / Math.max(1, why.of)) : 0;
  return [what, why?.reason, tenth, hasOrchestrator(situation), situation.pause !== undefined];
}
