// The instance and the purpose of a container, volume or network: from its labels or, where it has
// none, from its name. An Engine makes a volume without labels when a container only names it, and
// so may people, or a Sett that was killed.
import { AgentName, InstanceName } from "../model/ids.ts";
import { instanceLabel, type PartKind, type PartLabels, readLabels } from "./labels.ts";

type Sort = "volume" | "network";

/** Undefined when it is not Sett's. Where only the name is known, the workspace is empty. */
export function identifyPart(
  sort: Sort,
  name: string,
  labels: Record<string, string> | null | undefined,
): PartLabels | undefined {
  // Labels in the format of another version count as labels, too.
  if (labels?.[instanceLabel] !== undefined) return readLabels(labels);
  for (const [pattern, kindOf] of patterns[sort]) {
    const [, instance, agent] = pattern.exec(name) ?? [];
    const owner = InstanceName.safeParse(instance);
    const kind = owner.success ? kindOf(agent ?? "") : undefined;
    if (owner.success && kind !== undefined)
      return { instance: owner.data, workspace: "", version: "", ...kind };
  }
  return undefined;
}

type Pattern = [RegExp, (agent: string) => PartKind | undefined];

/** Patterns without an agent's name come first: an instance's name may contain such a part. */
const patterns: Record<Sort, Pattern[]> = {
  volume: [
    [
      /^sett-([^.]+)\.secrets\.([^.]+)(?:\.prepare)?$/,
      (name) => ofAgent(name, (agent) => ({ component: "secrets", agent })),
    ],
    [/^sett-([^.]+)\.layer(?:\.[^.]+)?$/, () => ({ component: "layer" })],
    [
      /^sett-([^.]+)\.examine-[0-9a-f]+(?:\.(?:results|store))?$/,
      () => ({ component: "examination" }),
    ],
    [/^sett-([^.]+)\.api$/, () => ({ component: "api-files" })],
    [/^sett-([^.]+)\.forge$/, () => ({ component: "forge-files" })],
    [/^sett-(.+)-blackboard$/, () => ({ component: "blackboard" })],
    [/^sett-(.+)-record$/, () => ({ component: "record" })],
    [/^sett-(.+)-proof$/, () => ({ component: "proof" })],
    [/^sett-(.+)-cub-[0-9a-f]{12}$/, () => ({ component: "carrier" })],
    [
      /^sett-(.+)-workspace-([^.]+)(?:\.(?:\d+|upper|(?:over|upper)-[0-9a-f]+))?$/,
      (name) => ofAgent(name, (agent) => ({ component: "workspace", agent })),
    ],
    [/^sett-([^.]+)\.(?!lock$)[^.]+(?:\.[^.]+)?$/, () => ({ component: "socket" })],
  ],
  network: [[/^sett-([^.]+)(?:\.open)?$/, () => ({ component: "network" })]],
};

function ofAgent(name: string, kind: (agent: AgentName) => PartKind): PartKind | undefined {
  const agent = AgentName.safeParse(name);
  return agent.success ? kind(agent.data) : undefined;
}
