// A sett whose agents ask people: a real Redis, a real orchestrator, and agents played by the test.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { type ServiceProcess, startService } from "../process/service-process.ts";
import { sampleAgent, sampleArtefact } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import { playAgent } from "../world/played-agent.ts";
import { type OnTerminal, settOnTerminal } from "./pseudo-terminal.ts";
import { Workspace } from "./workspace.ts";

const [coder, critic, lead] = ["coder", "critic", "lead"] as const;

/**
 * Says what a goal's text makes of it. Each line of a goal that asks is a question, asked one after
 * the other.
 */
export const reportGoal = "Report";
export const failingGoal = "Fail";
export const vagueGoal = "Do something vague";
export const clearGoal = "Paint door 7";

/**
 * `coder` asks each line of a goal, then ends it; a clear one it ends at once, for `Report` it
 * posts a Report, which the person `lead` has to approve, for `Fail` it fails. `critic` rejects
 * goals that are vague.
 */
export class AskingSett implements AsyncDisposable {
  readonly at: Workspace;
  readonly board: Blackboard;
  readonly #orchestrator: ServiceProcess;
  readonly #stop = new AbortController();

  private constructor(at: Workspace, board: Blackboard) {
    this.at = at;
    this.board = board;
    const isGoal = ({ type }: Artefact) => type === "GoalDefined";
    const isVague = ({ payload }: Artefact) => payload.includes("vague");
    const roles = [
      playAgent(
        board,
        coder,
        { bid: (one) => (isGoal(one) ? "exclusive" : "ignore"), work: coded },
        this.#stop.signal,
      ),
      playAgent(
        board,
        critic,
        {
          bid: (one) => (isGoal(one) && isVague(one) ? "review" : "ignore"),
          work: () => ({
            structural_type: "Review",
            type: "Review",
            payload: "Say which door is meant.",
          }),
        },
        this.#stop.signal,
      ),
    ];
    for (const role of roles) role.catch(() => {});
    this.#orchestrator = startService("orchestrator", { ...at.env, SETT_HEALTH_PORT: "0" });
  }

  static async start(): Promise<AskingSett> {
    const at = await Workspace.create();
    const board = await at.board();
    const person = { human: true, bids: [{ on: "Report", bid: "review" }] } as const;
    const bidder = { bids_by_command: true } as const;
    const agents = [
      sampleAgent(coder, bidder),
      sampleAgent(critic, bidder),
      sampleAgent(lead, { ...person, bids: [...person.bids] }),
    ];
    await board.registerAgents(agents, "person:Ada", { exact: true });
    return new AskingSett(at, board);
  }

  /** `sett` on a terminal of 120 columns without colours. */
  onTerminal(env: Record<string, string>, ...words: string[]): OnTerminal {
    return settOnTerminal(words, {
      cwd: this.at.folder,
      env: { ...this.at.env, NO_COLOR: "1", ...env },
      columns: 120,
    });
  }

  async postGoal(payload: string): Promise<Artefact> {
    const goal = sampleArtefact({ payload, metadata: { summary: payload.split("\n")[0] ?? "" } });
    await this.board.createArtefact(goal, "person:Ada");
    return goal;
  }

  /** States a goal that makes the coder ask this, and waits until people are asked. */
  async ask(text: string): Promise<{ goal: Artefact; question: ArtefactId }> {
    const goal = await this.postGoal(text);
    return { goal, question: await this.questionOf(goal) };
  }

  /** The question of that goal that waits for a person. */
  async questionOf({ goal_id }: Pick<Artefact, "goal_id">): Promise<ArtefactId> {
    return await waitFor("a question to people", async () => {
      const open = await this.board.readArtefacts(await this.board.listOpenQuestions());
      return open.find((question) => question.goal_id === goal_id)?.id;
    });
  }

  async cancel({ goal_id }: Artefact): Promise<void> {
    await this.board.logEvent({ type: "cancel_requested", goal_id }, "person:Ada");
    await waitFor(
      "the goal's end",
      async () => (await this.board.readGoal(goal_id)).ended === "cancelled",
    );
  }

  async answerOf(question: ArtefactId): Promise<Artefact> {
    const [id] = await this.board.answersOf([question]);
    const answer = id && (await this.board.readArtefact(id));
    if (answer === undefined) throw new Error(`Question ${question} has no answer.`);
    return answer;
  }

  /** Resolves when the goal is achieved: the asker went on. */
  async achieved({ goal_id }: Pick<Artefact, "goal_id">): Promise<void> {
    await waitFor("the goal's end", async () => {
      const artefacts = await this.board.readArtefacts(
        await this.board.listArtefactsOfGoal(goal_id),
      );
      return artefacts.some(({ structural_type }) => structural_type === "Terminal");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#orchestrator[Symbol.asyncDispose]();
    await this.board[Symbol.asyncDispose]();
    await this.at[Symbol.asyncDispose]();
  }
}

function coded({ payload }: Artefact, attempt: number): Partial<Artefact> {
  if (payload === failingGoal)
    return { structural_type: "Failure", type: "NoWay", payload: "It cannot be done." };
  if (payload === reportGoal)
    return {
      type: "Report",
      payload: "All doors are painted.",
      metadata: { summary: "All painted" },
    };
  const question = payload.split("\n")[attempt - 1];
  if (question === undefined || payload === clearGoal)
    return { structural_type: "Terminal", type: "Done", payload: "Done." };
  return {
    structural_type: "Question",
    type: "Question",
    payload: question,
    metadata: { summary: question.slice(0, 20) },
  };
}
