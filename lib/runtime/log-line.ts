// The lines of a part's log as people read them.
import type { AgentName } from "../model/ids.ts";
import { serviceBeside } from "./names.ts";
import type { ContainerPart, LogLine } from "./port.ts";

/** A service beside an agent writes as it likes: its lines are put into those of Sett's logs. */
export function lineOf({ labels, name }: Pick<ContainerPart, "labels" | "name">, said: LogLine) {
  if (labels.component !== "sidecar") return said.line;
  const { time, stream, line: text } = said;
  const about = { service: serviceBeside(name), stream, text };
  return JSON.stringify({ time, level: "info", msg: "A service has printed", ...about });
}

/** Whether it is a worker of the agent, or a service beside one. */
export function isAtWorkFor(agent: AgentName | string, { labels }: Pick<ContainerPart, "labels">) {
  const { component } = labels;
  return (component === "worker" || component === "sidecar") && labels.agent === agent;
}
