// A clan whose results a built-in agent brings to a mock forge. A look is one tick of its
// loops; new loops are what a restart of the service leaves.
import process from "node:process";
import { ForgeLoop, type ForgeParts } from "../../../apps/api/forge/forge-loop.ts";
import { IssueLoop } from "../../../apps/api/forge/issue-loop.ts";
import type { PullAgent } from "../../../apps/api/forge/settings.ts";
import { findJudged, judge } from "../../../lib/client/actions/judge.ts";
import { readReport } from "../../../lib/client/facts/report.ts";
import { forgeKinds } from "../../../lib/forge/kinds.ts";
import { addressOf, restForge } from "../../../lib/forge/rest-forge.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type ForgeFile, PullRequestFile } from "../../../lib/model/config-forges.ts";
import { AgentName, type CommitHash } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { sampleRepository } from "../git/sample-repository.ts";
import { waitFor } from "../wait-for.ts";
import type { Member } from "../world/clan.ts";
import { memoryClan } from "../world/memory-clan.ts";
import { MockForge } from "./mock-forge.ts";

type Options = {
  settings?: Partial<PullRequestFile>;
  members?: Record<string, Member>;
  /** The members review beside the forge, and not before it. */
  isBeside?: boolean;
  /** Undefined: a mock. */
  real?: { file: ForgeFile; token: string };
  /** The commit of each version that the coder makes. */
  work: (base: CommitHash, path: string) => readonly CommitHash[];
};

function afterAll(members: Record<string, Member>) {
  const after = Object.keys(members);
  return after.length === 0 ? {} : { after };
}

export class ForgeScene implements AsyncDisposable {
  readonly clan: Awaited<ReturnType<typeof memoryClan>>;
  readonly repository: ReturnType<typeof sampleRepository>;
  readonly forge: MockForge;
  readonly log: string[] = [];
  readonly secrets = new Map<string, Buffer>();
  commits: readonly CommitHash[] = [];
  nowMs = 0;
  /** Comes before commits are read, and may throw. */
  onRead: () => void = () => {};
  #loops: readonly { tick: () => Promise<void> }[] | undefined;
  readonly #agent: PullAgent;
  readonly #at: { file: ForgeFile; token: string };

  private constructor(
    clan: ForgeScene["clan"],
    repository: ForgeScene["repository"],
    { settings = {}, real }: Pick<Options, "settings" | "real">,
  ) {
    this.clan = clan;
    this.repository = repository;
    this.forge = new MockForge(repository.path);
    this.#at = real ?? this.forge;
    this.#agent = {
      name: AgentName.parse("pull-request"),
      forge: "hub",
      pull_request: PullRequestFile.parse({ base: "main", checks: "all", ...settings }),
      accounts: { "ada-l": "ada" },
    };
  }

  static async open({
    members = {},
    isBeside = false,
    work,
    ...options
  }: Options): Promise<ForgeScene> {
    const scene = new ForgeScene(await memoryClan(), sampleRepository(), options);
    scene.commits = work(scene.repository.base, scene.repository.path);
    await scene.clan.join({
      coder: {
        behaviour: {
          bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"),
          work: ({ type, logical_id, version }) => {
            const next = type === "GoalDefined" ? 1 : version + 1;
            const metadata = { commit: scene.commits[next - 1] as CommitHash };
            const thread = type === "GoalDefined" ? {} : { logical_id, version: next };
            return { type: "CodeCommit", metadata, ...thread };
          },
        },
      },
      "pull-request": {
        ...{ human: true, built_in: "forge" },
        bids: [{ on: "CodeCommit", bid: "review", ...(isBeside ? {} : afterAll(members)) }],
      },
      ...members,
    });
    await scene.clan.startOrchestrator();
    return scene;
  }

  /** Posts a goal, and waits until version `version` of its result waits for the forge. */
  async postGoal(text = "Write the door"): Promise<Artefact> {
    const metadata = { commit: this.repository.base };
    return await this.clan.postGoal(text, { metadata });
  }

  /** Puts on record that a trigger has stated the goal for this issue of the repository. */
  async statedFor({ goal_id }: Artefact, issue: number): Promise<void> {
    const { file } = this.#at;
    const address = `${addressOf(file)}/${file.repository}/issues/${issue}`;
    const mark = { mark: "trigger", value: "issue", fields: { issue: address } };
    const { board } = this.clan;
    await board.recordTrigger({ record: { goal: goal_id }, ...mark, actor: "trigger:issue" });
  }

  async waiting(goal: Artefact, version = 1): Promise<Artefact> {
    const made = await this.clan.made(
      goal,
      (one) => one.type === "CodeCommit" && one.version === version,
    );
    await waitFor("the forge to be asked", async () => (await this.grant(made)) === "waiting");
    return made;
  }

  async grant({ id }: Artefact): Promise<string | undefined> {
    const claims = [...(await this.clan.board.claimsOfArtefact(id)).values()];
    const found = await this.clan.board.readClaims(claims);
    return found.flatMap(({ grants }) => grants.filter(({ agent }) => agent === "pull-request"))[0]
      ?.state;
  }

  /** A person's approval, or her feedback, for an agent that waits for one. */
  async verdict({ id }: Artefact, speaker: string, feedback?: string): Promise<void> {
    const suggest = (text: string) => `sett ${text}`;
    const actor = "person:Ada" as const;
    const judged = await waitFor("the person to be asked", () =>
      findJudged(this.clan.board, id, { speaker, actor, suggest }).catch(() => undefined),
    );
    const verdict = { approves: feedback === undefined, reason: feedback };
    await judge(this.clan.board, judged, { ...verdict, actor, suggest });
  }

  /** The loops begin anew, as after the end of its process. */
  restart(): void {
    this.#loops = undefined;
  }

  /** One look, after the time until it is due. */
  async look(): Promise<void> {
    this.#loops ??= await this.#start();
    this.nowMs += 60_000;
    for (const loop of this.#loops) await loop.tick();
  }

  async #start() {
    const { board } = this.clan;
    const env = process.env;
    const repository = await HostRepository.open(this.repository.path, { env });
    const { file, token } = this.#at;
    const forge = restForge({ file, token, fetch, now: () => this.nowMs });
    const url = `${addressOf(file)}/${file.repository}.git`;
    const pushAt = { url, user: forgeKinds[file.kind].gitUser, token, fetch };
    const parts: ForgeParts = {
      ...{ board, agents: [this.#agent], now: () => this.nowMs },
      log: createJsonLog(
        (line) => this.log.push(line),
        () => new Date(0),
      ),
      reader: async () => {
        this.onRead();
        return repository;
      },
      report: async ({ goal_id }) =>
        await readReport(board, goal_id, { state: undefined, suggest: (text) => `sett ${text}` }),
      secrets: async () => this.secrets,
      forgeOf: async () => ({ forge, pushAt }),
    };
    return [new ForgeLoop(parts), new IssueLoop(parts)];
  }

  /** What is on record of the forge: `push begins`, `review stops: why`. */
  async steps(): Promise<string[]> {
    const events = await this.clan.events();
    return events.flatMap(({ type, data }) => {
      if (type !== "forge_step") return [];
      const why = data?.state === "stops" ? `: ${String(data.what)}` : "";
      return [`${String(data?.step)} ${String(data?.state)}${why}`];
    });
  }

  /** The words of the Review of this artefact, once there is one. */
  async review(artefact: Artefact): Promise<Artefact> {
    return await this.clan.made(
      artefact,
      (one) => one.structural_type === "Review" && one.source_artefacts.includes(artefact.id),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clan[Symbol.asyncDispose]();
    this.forge[Symbol.dispose]();
    this.repository[Symbol.dispose]();
  }
}
