// sett list: the instances of this machine.
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { jsonArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { workspaceOf } from "../find-instance.ts";
import { howItRuns, stateWord } from "../parts.ts";
import { ageOf } from "../render/age.ts";
import { oneLine } from "../render/plain-text.ts";
import type { Style } from "../render/style.ts";
import { table } from "../render/table.ts";

export const list = defineCommand({
  name: "list",
  description: "show the instances on this machine",
  details: "Also those that are down but have kept their blackboard.",
  args: { json: jsonArgument },
  examples: ["sett list", "sett list --json | jq -r '.[].name'"],
  async run(args, shell) {
    const instances = (await (await dockerRuntime()).instances()).map(summaryOf);
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
    const rows = instances.map(({ name, state, agents, created_at, workspace }) => [
      { text: name, paint: style.bold },
      { text: state, paint: paintOf(state, style) },
      { text: agents.join(", ") || "-" },
      { text: created_at === null ? "-" : ageOf(created_at, Date.now()) },
      { text: oneLine(workspace) },
    ]);
    await shell.out.write(`${table(["NAME", "STATE", "AGENTS", "AGE", "WORKSPACE"], rows, style, columns).join("\n")}\n`);
    return;
  },
});

function summaryOf(parts: InstanceParts) {
  const { instance, containers } = parts;
  const labels = containers.map((container) => container.labels);
  const created = containers.map((container) => container.createdAt).sort();
  return {
    name: instance,
    state: howItRuns(parts) ?? "down",
    workspace: workspaceOf(parts),
    agents: labels.flatMap((label) => (label.component === "agent" ? [label.agent] : [])),
    created_at: created[0] ?? null,
    containers: containers.map((container) => ({ name: container.name, state: stateWord(container) })),
  };
}

function paintOf(state: string, style: Style): (text: string) => string {
  if (state === "running") return style.green;
  return state === "down" ? style.dim : style.red;
}
