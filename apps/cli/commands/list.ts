// sett list: shows the instances on this machine.

import { kindOf } from "../../../lib/client/facts/agent-kind.ts";
import { ageOf } from "../../../lib/client/text/age.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { cassettesOf, cassettesSentence, type GatewayProblem, gatewayProblem, gatewaySentence } from "../facts/gateway-state.ts";
import { workspaceOf } from "../instance/find-instance.ts";
import { howItRuns, stateWord } from "../instance/parts.ts";
import { redisOf, redisUrlsOf } from "../instance/place.ts";
import { everyInstance, type RuntimeName } from "../instance/runtimes.ts";
import { connect } from "../instance/session.ts";
import { jsonArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { table } from "../render/table.ts";

export const list = defineCommand({
  name: "list",
  description: "show the instances on this machine",
  details: "It also shows instances that are down and whose blackboard is kept.",
  args: { json: jsonArgument },
  examples: ["sett list", "sett list --json | jq -r '.[].name'"],
  async run(args, shell) {
    const { instances: found, dockerProblem } = await everyInstance(shell.env);
    if (dockerProblem !== undefined && found.length === 0) throw dockerProblem;
    if (dockerProblem !== undefined) shell.messages.warn("Docker does not answer: instances in containers are not shown.");
    const instances = await Promise.all(found.map(async (parts) => summaryOf(parts, await readBoard(parts))));
    if (args.json) {
      await shell.out.write(`${JSON.stringify(instances)}\n`);
      return;
    }
    if (instances.length === 0) {
      shell.messages.note("There are no instances on this machine.");
      shell.messages.next("In a git repository: sett init, then sett up");
      return;
    }
    const { style, columns } = shell.out;
    const rows = instances.map(({ name, state, runtime, agents, external, people, created_at, workspace }) => [
      { text: name, paint: style.bold },
      { text: state, paint: paintOf(state, style) },
      { text: runtime },
      {
        text:
          [...agents, ...external.map((one) => `${one} (external)`), ...people.map((one) => `${one} (person)`)].join(", ") || "-",
      },
      { text: created_at === null ? "-" : ageOf(created_at, Date.now()) },
      { text: oneLine(workspace) || "-" },
    ]);
    await shell.out.write(
      `${table(["NAME", "STATE", "RUNTIME", "AGENTS", "AGE", "WORKSPACE"], rows, style, columns).join("\n")}\n`,
    );
    for (const { name, state, gateway, cassettes, workspace } of instances) {
      if (gateway !== null) shell.messages.warn(`${name}: ${gatewaySentence(gateway, `sett up --name ${name}`)}`);
      if (cassettes !== null) shell.messages.note(`${name}: ${oneLine(cassettesSentence(cassettes))}`);
      if (state !== "running" && state !== "down") shell.messages.next(`In ${oneLine(workspace)}: sett up --name ${name}`);
    }
    return;
  },
});

type OnBoard = { notStarted: AgentRegistration[]; gateway: GatewayProblem | undefined };

/**
 * External agents and people, and what the gateway has announced: only the blackboard knows them. An instance whose Redis does not answer is
 * listed without them.
 */
async function readBoard(parts: InstanceParts): Promise<OnBoard> {
  try {
    await using board = await connect({ instance: parts.instance, ...redisUrlsOf(parts) });
    const notStarted = (await board.listAgents()).filter((agent) => kindOf(agent) !== undefined);
    return { notStarted, gateway: await gatewayProblem(parts.containers, board) };
  } catch (error) {
    if (error instanceof SettError && error.code === "redis-unreachable") return { notStarted: [], gateway: undefined };
    throw error;
  }
}

function summaryOf(parts: InstanceParts & { runtime: RuntimeName }, { notStarted, gateway }: OnBoard) {
  const { instance, containers, runtime } = parts;
  const labels = containers.map((container) => container.labels);
  const named = (kind: string) => notStarted.filter((agent) => kindOf(agent) === kind).map(({ name }) => name);
  const created = containers.map((container) => container.createdAt).sort();
  return {
    name: instance,
    state: howItRuns(parts) ?? "down",
    runtime,
    workspace: workspaceOf(parts),
    agents: labels.flatMap((label) => (label.component === "agent" ? [label.agent] : [])),
    external: named("external"),
    people: named("person"),
    gateway: gateway ?? null,
    cassettes: cassettesOf(containers) ?? null,
    created_at: created[0] ?? null,
    redis_port: redisOf(parts)?.port ?? null,
    containers: containers.map((container) => ({ name: container.name, state: stateWord(container) })),
  };
}

function paintOf(state: string, style: Style): (text: string) => string {
  if (state === "running") return style.green;
  return state === "down" ? style.dim : style.red;
}
