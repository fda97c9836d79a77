// A sett in real containers with an agent, mallory, that has turned against the others: its command
// has left an intruder in its container. Beside it work of every kind that is not its own: done,
// under way, queued, asked for, waiting for people.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { $ } from "bun";
import { type Keys, keysOf } from "../../../lib/blackboard/records/keys.ts";
import { Grant } from "../../../lib/model/claim.ts";
import { ArtefactId, ClaimId, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { SettWorkspace, scriptAgent, settYml } from "../sett/sett-workspace.ts";
import { waitFor } from "../wait-for.ts";
import { type Client, connectOwner, readLog } from "./board-state.ts";
import { intruderPort, type Order, type Outcome } from "./intruder.ts";
import { type ContainerConfig, redisUrlIn } from "./login-of.ts";

/** Its result is of the goal's text as its type; rules of other agents do the rest. */
const honest = `
work=$(cat)
goal=$(printf '%s' "$work" | jq -r .target_artefact.payload)
answer=$(printf '%s' "$work" | jq -r '[.additional_context[] | select(.structural_type == "Answer").payload] | last // empty')
case $goal$answer in
  Question) jq -n '{structural_type: "Question", payload: "Which door?"}' ;;
  Question*) jq -n --arg answer "$answer" '{structural_type: "Terminal", artefact_type: "Door", artefact_payload: $answer, summary: ""}' ;;
  Letter) jq -n '{structural_type: "Terminal", artefact_type: "Letter", artefact_payload: "Dear Ada,", summary: ""}' ;;
  *) jq -n --arg type "$goal" '{artefact_type: $type, artefact_payload: "by honest", summary: ""}' ;;
esac`;

/** It keeps its own work, so that it has something to lie about. */
const mallory = `
BUN_BE_BUN=1 setsid /cub/cub run /app/intruder.ts < /dev/null > /tmp/intruder.log 2>&1 &
exec sleep 600`;

const on = (...types: string[]) =>
  `    bids: [${types.map((type) => `{ on: ${type}, bid: exclusive }`).join(", ")}]\n`;

/**
 * The test reaches the intruder by its network. With first_bid the external writer is waited for
 * only where no rule bids: on the riddle.
 */
const settings = `${settYml(
  {
    honest: on("GoalDefined"),
    busy: on("Work", "Plan"),
    mallory: `${on("Stay")}    network: direct\n`,
  },
  "consensus: first_bid\nservices: { redis: { resources: { limits: { memory: 512M } } } }\n",
)}  lead: { human: true, bids: [{ on: Plan, bid: review }] }\n  writer: { external: true }\n`;

/** Lists what there is to attack. */
export type Prey = {
  keys: Keys;
  /** A key by what follows the instance's prefix. */
  key(name: string): string;
  goal: GoalId;
  letter: ArtefactId;
  /**
   * `work` is under way and `queued` in the queue of busy; `plan` waits for lead, `riddle` for the
   * bid of writer.
   */
  claims: { work: ClaimId; queued: ClaimId; plan: ClaimId; riddle: ClaimId; letter: ClaimId };
  plan: ArtefactId;
  question: ArtefactId;
  /** Names what mallory works on itself. */
  own: { claim: ClaimId; attempt: number; queued_at: string; target: ArtefactId; goal: GoalId };
  /** The grant of the work under way, as it is stored. */
  running: { attempt: number; queued_at: string };
  /** The name with which the library's functions begin. */
  library: string;
};

export class HostileScene implements AsyncDisposable {
  readonly sett: SettWorkspace;
  readonly owner: Client;
  readonly targets: Prey;
  readonly #intruder: { host: string; redis: string };

  private constructor(
    sett: SettWorkspace,
    owner: Client,
    targets: Prey,
    intruder: { host: string; redis: string },
  ) {
    this.sett = sett;
    this.owner = owner;
    this.targets = targets;
    this.#intruder = intruder;
  }

  static async create(): Promise<HostileScene> {
    const sett = await SettWorkspace.create({
      ...scriptAgent("honest", honest),
      ...scriptAgent("busy", "exec sleep 600\n"),
      ...scriptAgent("mallory", mallory),
      "agents/mallory/intruder.ts": await Bun.file(`${import.meta.dir}/intruder.ts`).text(),
      "agents/mallory/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh intruder.ts /app/\n",
      "sett.yml": settings,
    });
    try {
      await sett.commit("Add a sett");
      await sett.up();
      const owner = await connectOwner(await ownerUrl(sett));
      await Promise.all(
        ["Stay", "Letter", "Work", "Work", "Plan", "Riddle", "Question"].map((goal) =>
          sett.forage(goal),
        ),
      );
      const targets = await waitFor(
        "everything to be attacked",
        () => findTargets(owner, sett.name),
        { everyMs: 200 },
      );
      const scene = new HostileScene(sett, owner, targets, await intruderOf(sett, "agent-mallory"));
      await waitFor("the intruder", () => scene.order({ leave: true }).catch(() => undefined), {
        everyMs: 100,
      });
      return scene;
    } catch (error) {
      await sett[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Has the intruder carry out an order, with the cub's user of Redis. */
  async order(order: Order): Promise<Outcome> {
    const { host, redis } = this.#intruder;
    const socket = connect(intruderPort, host);
    try {
      socket.write(`${JSON.stringify({ ...order, redis })}\n`);
      for await (const line of createInterface(socket)) return JSON.parse(line);
      throw new Error("The intruder has said nothing.");
    } finally {
      socket.destroy();
    }
  }

  /** Reads the artefacts of one type, as hashes. */
  async artefactsOf(type: string): Promise<Record<string, string>[]> {
    const { keys } = this.targets;
    const ids = await this.owner.zRange(keys.artefacts, 0, -1);
    const all = await Promise.all(
      ids.map((id) => this.owner.hGetAll(keys.artefact(ArtefactId.parse(id)))),
    );
    return all.filter((fields) => fields.type === type);
  }

  /** The password of Redis that another part's container has. */
  async passwordOf(part: string): Promise<string> {
    const { Config } = await inspect(this.sett, part);
    const owner = Config.Env.find((variable) => variable.startsWith("REDISCLI_AUTH="));
    return owner?.slice("REDISCLI_AUTH=".length) ?? new URL(redisUrlIn(Config)).password;
  }

  /** The events of the log that name mallory, after the entry `after`. */
  async eventsOf(after: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const entries = await readLog(this.owner, this.targets.key("events"), `(${after}`);
    const events = entries.map(({ type = "", event = "" }) => ({
      type,
      data: {},
      ...JSON.parse(event),
    }));
    return events.filter(
      ({ actor, agent }) => agent === "mallory" || String(actor).startsWith("agent:mallory@"),
    );
  }

  /** The place in the log. */
  async lastEvent(): Promise<string> {
    return (
      (await this.owner.xRevRange(this.targets.keys.events, "+", "-", { COUNT: 1 }))?.[0]?.id ?? "0"
    );
  }

  /** User of Redis → how many of its commands Redis has refused since its own log was emptied. */
  async refusals(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { username, count } of (await this.owner.aclLog(1_000)) ?? [])
      counts[username] = (counts[username] ?? 0) + count;
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.owner.destroy();
    await this.sett[Symbol.asyncDispose]();
  }
}

type Inspected = {
  Config: ContainerConfig;
  NetworkSettings: {
    Ports: Record<string, { HostPort: string }[]>;
    Networks: Record<string, { IPAddress: string }>;
  };
};

async function inspect(sett: SettWorkspace, part: string): Promise<Inspected> {
  return JSON.parse(await $`docker inspect sett-${sett.name}-${part}`.text())[0];
}

async function ownerUrl(sett: SettWorkspace): Promise<string> {
  const { Config, NetworkSettings } = await inspect(sett, "redis");
  const password = Config.Env.find((variable) => variable.startsWith("REDISCLI_AUTH="))?.slice(
    "REDISCLI_AUTH=".length,
  );
  return `redis://:${password}@127.0.0.1:${NetworkSettings.Ports["6379/tcp"]?.[0]?.HostPort}`;
}

async function intruderOf(
  sett: SettWorkspace,
  part: string,
): Promise<{ host: string; redis: string }> {
  const { Config, NetworkSettings } = await inspect(sett, part);
  const host = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? "";
  return { host, redis: redisUrlIn(Config) };
}

/** Undefined until every goal has come to where it waits. */
async function findTargets(owner: Client, instance: string): Promise<Prey | undefined> {
  const keys = keysOf(InstanceName.parse(instance));
  const ids = (await owner.zRange(keys.artefacts, 0, -1)).map((id) => ArtefactId.parse(id));
  const types = await Promise.all(ids.map((id) => owner.hGet(keys.artefact(id), "type")));
  const artefacts = (type: string) => ids.filter((_, place) => types[place] === type);
  const claimOn = async (id: ArtefactId | undefined) =>
    id && (await owner.hVals(keys.claimsOfArtefact(id))).map((claim) => ClaimId.parse(claim))[0];
  const grantOf = async (claim: ClaimId | undefined, agent: string) =>
    Grant.safeParse(JSON.parse((claim && (await owner.hGet(keys.grants(claim), agent))) || "null"))
      .data;
  const works = await Promise.all(artefacts("Work").map(claimOn));
  const grants = await Promise.all(works.map((claim) => grantOf(claim, "busy")));
  const [work, queued] = ["running", "queued"].map(
    (state) => works[grants.findIndex((grant) => grant?.state === state)],
  );
  const [letter, plan] = [artefacts("Letter")[0], artefacts("Plan")[0]];
  const goal = GoalId.safeParse(
    letter && (await owner.hGet(keys.artefact(letter), "goal_id")),
  ).data;
  const onGoal = await claimOn(goal && ArtefactId.parse(goal));
  const [onPlan, riddle] = await Promise.all([plan, artefacts("Riddle")[0]].map(claimOn));
  const question = ArtefactId.safeParse((await owner.zRange(keys.openQuestions, 0, -1))[0]).data;
  const library = String((await owner.functionList({ LIBRARYNAME: "sett_*" }))[0]?.library_name);
  const running = grants.find((grant) => grant?.state === "running");
  const target = artefacts("Stay")[0];
  const stay = await claimOn(target);
  const grant = await grantOf(stay, "mallory");
  const ownGoal = GoalId.safeParse(
    target && (await owner.hGet(keys.artefact(target), "goal_id")),
  ).data;
  const isReady = (await grantOf(onPlan, "lead"))?.state === "waiting";
  if (!isReady || !running || !letter || !plan || !goal || !question) return undefined;
  if (!work || !queued || !onPlan || !riddle || !onGoal) return undefined;
  if (!stay || !target || !ownGoal || grant?.state !== "running") return undefined;
  const own = {
    claim: stay,
    attempt: grant.attempt,
    queued_at: grant.queued_at,
    target,
    goal: ownGoal,
  };
  const claims = { work, queued, plan: onPlan, riddle, letter: onGoal };
  return {
    keys,
    key: (name) => `${keys.prefix}${name}`,
    goal,
    letter,
    claims,
    plan,
    question,
    own,
    running,
    library,
  };
}
