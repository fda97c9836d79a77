// sett list: shows the instances on this machine.

import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { kindOf } from "../../../lib/client/facts/agent-kind.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import { type KeptRef, keptRefs } from "../../../lib/git/repository/kept-refs.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ArtefactId, type InstanceName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { ageOf, agoOf } from "../../../lib/words/age.ts";
import {
  cassettesOf,
  cassettesSentence,
  type GatewayProblem,
  gatewayProblem,
  gatewaySentence,
} from "../facts/gateway-state.ts";
import { newBlackboardSince } from "../facts/new-blackboard.ts";
import { knownClusters } from "../instance/clusters.ts";
import { goneBlackboards } from "../instance/gone-blackboards.ts";
import { howItRuns, stateWord } from "../instance/parts.ts";
import { redisOf, redisUrlsOf } from "../instance/place.ts";
import { everyInstance, type RuntimeName } from "../instance/runtimes.ts";
import { connect } from "../instance/session.ts";
import { anothers, isAnothers, workspaceOf } from "../instance/workspace-of.ts";
import { jsonArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { goneBlackboardSentence, goneHint, newBlackboardSentence } from "../render/lost.ts";
import { table } from "../render/table.ts";
import type { Shell } from "../terminal/shell.ts";

export const list = defineCommand({
  name: "list",
  description: "show the instances on this machine",
  details: [
    "It also shows instances that are down and whose blackboard is kept, and in a repository those that it has in a",
    "cluster.",
  ].join("\n"),
  args: { json: jsonArgument },
  examples: ["sett list", "sett list --json | jq -r '.[].name'"],
  async run(args, shell) {
    const { instances: found, problems } = await everyInstance(shell);
    // A cluster is asked only where the repository has an instance in it.
    const ofCluster = problems.get("kubernetes");
    const problem = ofCluster ?? problems.get("docker");
    if (problem !== undefined && found.length === 0) throw problem;
    if (problems.has("docker"))
      shell.messages.warn("Docker does not answer: instances in containers are not shown.");
    if (ofCluster !== undefined)
      shell.messages.warn(`Instances in a cluster are not shown. ${ofCluster.message}`);
    const gone = problem === undefined ? await goneBlackboards(found, shell) : new Map();
    const clusters = new Set((await knownClusters(shell)).map((known) => known.instance));
    for (const [instance, refs] of gone) {
      shell.messages.warn(goneBlackboardSentence(instance, refs));
      shell.messages.next(goneHint(clusters.has(instance)));
    }
    const instances = await Promise.all(
      found.map(async (parts) =>
        summaryOf(parts, await readBoard(parts, shell), gone.get(parts.instance)),
      ),
    );
    if (args.json) {
      await shell.out.write(`${JSON.stringify(instances)}\n`);
      return;
    }
    if (instances.length === 0) {
      shell.messages.note(
        "There are no instances on this machine. Those in a cluster are shown in their repository.",
      );
      shell.messages.next("In a git repository: sett init, then sett up");
      return;
    }
    const { style, columns } = shell.out;
    const rows = instances.map(
      ({ name, state, runtime, agents, external, people, created_at, workspace }) => [
        { text: name, paint: style.bold },
        { text: state, paint: paintOf(state, style) },
        { text: runtime },
        {
          text:
            [
              ...agents,
              ...external.map((one) => `${one} (external)`),
              ...people.map((one) => `${one} (person)`),
            ].join(", ") || "-",
        },
        { text: created_at === null ? "-" : ageOf(created_at, Date.now()) },
        { text: oneLine(workspace) || "-" },
      ],
    );
    await shell.out.write(
      `${table(["NAME", "STATE", "RUNTIME", "AGENTS", "AGE", "WORKSPACE"], rows, style, columns).join("\n")}\n`,
    );
    for (const each of instances) {
      const { name, state, runtime, gateway, cassettes, lost_blackboard: lost, workspace } = each;
      if (lost !== null && lost.since !== null) {
        shell.messages.warn(newBlackboardSentence(name, lost.known, agoOf(lost.since, Date.now())));
        shell.messages.next(goneHint(runtime === "kubernetes"));
      }
      if (gateway !== null)
        shell.messages.warn(`${name}: ${gatewaySentence(gateway, `sett up --name ${name}`)}`);
      if (cassettes !== null)
        shell.messages.note(`${name}: ${oneLine(cassettesSentence(cassettes))}`);
      if (state !== "running" && state !== "down")
        shell.messages.next(`In ${oneLine(workspace)}: sett up --name ${name}`);
    }
    return;
  },
});

type OnBoard = {
  notStarted: AgentRegistration[];
  gateway?: GatewayProblem;
  lost?: { since: string; refs: KeptRef[] };
};

/**
 * Reads what only the blackboard knows: external agents and people, what the gateway has announced,
 * and whether the blackboard began empty. An instance whose Redis does not answer is listed without
 * them.
 */
async function readBoard(parts: InstanceParts, { env }: Pick<Shell, "env">): Promise<OnBoard> {
  try {
    await using board = await connect({ instance: parts.instance, ...redisUrlsOf(parts) });
    const notStarted = (await board.listAgents()).filter((agent) => kindOf(agent) !== undefined);
    const gateway = await gatewayProblem(parts.containers, board);
    const since = await newBlackboardSince(board, Date.now());
    const refs =
      since === undefined ? [] : await refsOfBefore(workspaceOf(parts), parts.instance, env, board);
    const lost = since === undefined || refs.length === 0 ? undefined : { since, refs };
    return { notStarted, ...withoutUndefined({ gateway, lost }) };
  } catch (error) {
    if (error instanceof SettError && error.code === "redis-unreachable") return { notStarted: [] };
    throw error;
  }
}

/**
 * The goals and results that git has and the blackboard does not. Empty where the repository cannot
 * be read.
 */
async function refsOfBefore(
  workspace: string,
  instance: InstanceName,
  env: Shell["env"],
  board: PersonBlackboard,
): Promise<KeptRef[]> {
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const repository = await HostRepository.open(workspace, { env, mayBeEmpty: true }).catch(
    () => undefined,
  );
  const refs = repository === undefined ? [] : await keptRefs(repository.place, instance, env);
  const ids = refs.flatMap(({ id }) => ArtefactId.safeParse(id).data ?? []);
  const here = new Set<string>((await board.readHeads(ids)).map(({ head }) => head.id));
  return refs.filter(({ id }) => !here.has(id));
}

function summaryOf(
  parts: InstanceParts & { runtime: RuntimeName },
  { notStarted, gateway, lost }: OnBoard,
  gone: KeptRef[] | undefined,
) {
  const { instance, containers, runtime } = parts;
  const labels = containers.map((container) => container.labels);
  const named = (kind: string) =>
    notStarted.filter((agent) => kindOf(agent) === kind).map(({ name }) => name);
  const created = containers.map((container) => container.createdAt).sort();
  return {
    name: instance,
    state: howItRuns(parts) ?? "down",
    runtime,
    workspace: isAnothers(parts) ? anothers : workspaceOf(parts),
    agents: [
      ...labels.flatMap((label) => (label.component === "agent" ? [label.agent] : [])),
      ...named("on_demand"),
    ],
    external: named("external"),
    people: named("person"),
    gateway: gateway ?? null,
    cassettes: cassettesOf(containers) ?? null,
    lost_blackboard: lostOf(lost, gone),
    created_at: created[0] ?? null,
    redis_port: redisOf(parts)?.port ?? null,
    containers: containers.map((container) => ({
      name: container.name,
      state: stateWord(container),
    })),
  };
}

/** `since`: when the empty one began; null where there is none yet. */
function lostOf(lost: OnBoard["lost"], gone: KeptRef[] | undefined) {
  if (lost !== undefined) return { since: lost.since, known: lost.refs };
  return gone === undefined ? null : { since: null, known: gone };
}

function paintOf(state: string, style: Style): (text: string) => string {
  if (state === "running") return style.green;
  return state === "down" ? style.dim : style.red;
}
