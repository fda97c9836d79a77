// The people at the command line: they post goals, answer, judge, retry and cancel through the
// port, as the commands of `sett` do.
import { sleep } from "../../lib/async/sleep.ts";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { newThread, nextVersion, type Origin } from "../../lib/core/new-artefact.ts";
import { afterVerdict, discounted } from "../../lib/core/quorum.ts";
import { type Artefact, userRole } from "../../lib/model/artefact.ts";
import { isEnded, isForApproval, type WaitingGrant } from "../../lib/model/claim.ts";
import type { EventDraft } from "../../lib/model/event.ts";
import { ArtefactId, type ClaimId, GoalId } from "../../lib/model/ids.ts";
import type { KnownPerson } from "../../lib/model/people.ts";
import { approvalsOf } from "../../lib/model/quorum.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import type { Random } from "../chaos/random.ts";
import { quorumPeople } from "./scenarios.ts";
import { connectSimulated } from "./simulated-board.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";
import type { Main } from "./supervised.ts";

const lookEveryMs = 900;
const ada = "ada";
const actor = `person:${ada}` as const;
const maxRetries = 3;

type Request = (board: Blackboard) => Promise<unknown>;

export class People {
  readonly #redis: SimulatedRedis;
  readonly #random: Random;
  readonly #newId: () => string;
  readonly #log: JsonLog;
  readonly #requests: Request[] = [];
  readonly #retries = new Map<string, number>();
  readonly #retried = new Set<string>();
  /** The end of the log when nothing was left to do. */
  #seen = "";
  #underWay = 0;
  /** How often they have looked for something to do, and done it. */
  looks = 0;
  /** Which answer to a question counts, as the blackboard said. */
  readonly accepted: { question: ArtefactId; answer: ArtefactId }[] = [];

  constructor(redis: SimulatedRedis, random: Random, newId: () => string, log: JsonLog) {
    this.#redis = redis;
    this.#random = random;
    this.#newId = newId;
    this.#log = log;
  }

  /** No request is under way. */
  get isIdle(): boolean {
    return this.#requests.length === 0 && this.#underWay === 0;
  }

  /** Soon, however long Redis is away. */
  ask(request: Request): void {
    this.#requests.push(request);
  }

  newGoal(payload: string): Artefact {
    const id = this.#newId();
    return newThread(this.#origin(id, GoalId.parse(id)), {
      structural_type: "Standard",
      type: "GoalDefined",
      payload,
      sources: [],
      metadata: {},
    });
  }

  postGoal(goal: Artefact): void {
    this.ask((board) => board.createArtefact(goal, actor));
  }

  /** As `sett cancel` and `sett pause` do: Redis may have lost the goal. */
  askOf(goal: GoalId, type: "cancel_requested" | "pause_requested" | "resume_requested"): void {
    this.ask(async (board) => {
      const { artefacts } = await board.readGoal(goal);
      if (artefacts > 0) await board.logEvent({ type, goal_id: goal }, actor);
    });
  }

  /** As `sett post --version-of`: where another version came first, a person looks again. */
  postVersion(of: ArtefactId): void {
    const id = this.#newId();
    this.ask(async (board) => {
      const [found] = await board.readHeads([of]);
      const thread = found && (await board.readThread(found.head.logical_id));
      const [latest] = await board.readHeads(thread?.slice(-1) ?? []);
      if (latest === undefined) return;
      const { goal_id, type, structural_type } = latest.head;
      const content = { structural_type, type, payload: "Mine.", sources: [latest.head.id] };
      const metadata = { by: ada };
      const version = nextVersion(latest.head, this.#origin(id, goal_id), {
        ...{ ...content, metadata },
      });
      await board.createArtefact(version, actor);
    });
  }

  log(draft: EventDraft): void {
    this.ask((board) => board.logEvent(draft, actor));
  }

  readonly main: Main = async ({ stop, exit }) => {
    // A person has patience.
    const board = await connectSimulated(this.#redis, { giveUpMs: 900_000, onLost: exit });
    await Promise.all([this.#request(board, stop), this.#look(board, stop)]);
  };

  async #request(board: Blackboard, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const request = this.#requests.shift();
      if (request === undefined) {
        await sleep(200, signal);
        continue;
      }
      this.#underWay += 1;
      await this.#patiently(() => request(board), signal);
      this.#underWay -= 1;
    }
  }

  async #look(board: Blackboard, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#random.between(0.5, 1) * lookEveryMs, signal);
      await this.#patiently(async () => {
        const end = await board.endOfEvents();
        if (end === this.#seen) return;
        const questions = await board.listOpenQuestions();
        for (const question of await board.readArtefacts(questions))
          await this.#answer(board, question);
        const open = await board.listOpenClaims();
        for (const { claim, grants } of await board.readClaims(open))
          for (const grant of grants)
            if (!isEnded(claim.status) && isForApproval(grant))
              await this.#judge(board, claim.id, claim.artefact_id, grant);
        if (open.length > 0) return;
        await this.#retryFailures(board);
        this.#seen = end;
      }, signal);
      this.looks += 1;
    }
  }

  async #answer(board: Blackboard, { id: question, goal_id }: Artefact): Promise<void> {
    const content = {
      structural_type: "Answer",
      type: "Answer",
      payload: "Green.",
      sources: [question],
      metadata: { by: ada },
    } as const;
    const answer = newThread(this.#origin(this.#newId(), goal_id), content);
    const result = await untilContact(() => board.answerQuestion(answer, actor), {
      signal: never,
      log: this.#log,
    });
    if (result.outcome === "answered") this.accepted.push({ question, answer: answer.id });
    else if (result.outcome === "taken") this.accepted.push({ question, answer: result.answer });
  }

  async #judge(
    board: Blackboard,
    claim: ClaimId,
    artefact: ArtefactId,
    waiting: WaitingGrant,
  ): Promise<void> {
    const read = await board.readWithDigest(artefact);
    if (read === undefined) return;
    const { goal_id: goal, version } = read.artefact;
    const { agent } = waiting;
    const people = (await board.listAgents()).find(({ name }) => name === agent)?.people;
    const by = this.#judgeOf(waiting, people);
    if (by === undefined) return;
    const at = new Date().toISOString();
    const isRejected = version === 1 && this.#random.chance(0.4);
    const review = newThread(
      { id: this.#newId(), at, role: waiting.agent, agent: waiting.agent, goal, claim },
      {
        structural_type: "Review",
        type: "Review",
        payload: isRejected ? JSON.stringify({ reason: "Once more." }) : "{}",
        sources: [artefact],
        metadata: { by },
      },
    );
    const verdict = { review: review.id, at, by, approves: !isRejected };
    const { quorum } = waiting;
    // A program that does not count ends the grant with the first approval.
    const isCareless = quorum !== undefined && this.#random.chance(0.1);
    const one = isCareless ? { ...waiting, quorum: { ...quorum, needed: 1 } } : waiting;
    const grant = {
      ...afterVerdict(one, verdict, people),
      ...(quorum && isCareless && { quorum }),
    };
    await board.recordVerdict({ grant, review, digest: read.digest, actor: `person:${by}` });
  }

  /** One whose approval counts; undefined where that one looks at other work. */
  #judgeOf({ quorum }: WaitingGrant, people?: readonly KnownPerson[]): string | undefined {
    if (quorum === undefined) return ada;
    const by = this.#random.pick(quorumPeople).name;
    return discounted(by, approvalsOf(quorum), people) === undefined ? by : undefined;
  }

  /** Nothing is open: what has failed is tried again, a few times for each goal. */
  async #retryFailures(board: Blackboard): Promise<void> {
    for (const goal of await board.listGoals()) {
      if ((await board.readGoal(goal)).ended !== undefined) continue;
      const heads = await board.readHeads(await board.listArtefactsOfGoal(goal));
      const failures = heads.filter(
        ({ head }) => head.structural_type === "Failure" && !this.#retried.has(head.id),
      );
      const failure = failures.at(-1)?.head;
      const tries = this.#retries.get(goal) ?? 0;
      if (failure === undefined || failure.claim_id === "" || tries === maxRetries) continue;
      this.#retries.set(goal, tries + 1);
      for (const { head } of failures) this.#retried.add(head.id);
      await board.logEvent(
        { type: "retry_requested", goal_id: goal, artefact_id: ArtefactId.parse(failure.id) },
        actor,
      );
    }
  }

  #origin(id: string, goal: GoalId): Origin {
    return { id, at: new Date().toISOString(), role: userRole, agent: "", goal, claim: "" };
  }

  /** A command that fails is given again. */
  async #patiently(job: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    await untilContact(job, { signal, log: this.#log });
  }
}

const never = new AbortController().signal;
