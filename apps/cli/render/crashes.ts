// Agents whose containers end again and again, as far as whoever runs them tells, and what to do about it.
import type { AgentName } from "../../../lib/model/ids.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import { agoOf } from "../text/age.ts";
import type { Suggest } from "../text/suggest.ts";

/** One that has lasted for so long since it was started again has come through. */
const lastingMs = 60_000;

export type Crash = {
  agent: AgentName;
  restarts: number;
  isOutOfMemory: boolean;
  memoryBytes: number | undefined;
  /** It waits to be started again, or runs `since` a moment (ISO 8601), when nobody knows its last exit code any more. */
  now: { state: "restarting"; exitCode: number } | { state: "running"; since: string };
};

export function crashesOf(containers: readonly ContainerPart[], nowMs: number): Crash[] {
  return containers.flatMap(({ labels, state, restarts, isOutOfMemory, memoryBytes }): Crash[] => {
    if (labels.component !== "agent") return [];
    const known = { agent: labels.agent, restarts, isOutOfMemory, memoryBytes };
    if (state.state === "restarting") return [{ ...known, now: state }];
    if (state.state !== "running" || restarts === 0 || nowMs - Date.parse(state.startedAt) >= lastingMs) return [];
    return [{ ...known, now: { state: state.state, since: state.startedAt } }];
  });
}

export function crashSentence(crash: Crash, nowMs: number, suggest: Suggest): string {
  const { agent, restarts, isOutOfMemory, memoryBytes, now } = crash;
  const limit = memoryBytes === undefined ? "" : ` (limit ${Math.round(memoryBytes / 1024 ** 2)}M)`;
  const ended = now.state === "restarting" ? `ended with exit code ${now.exitCode}` : "ended";
  const often = restarts === 1 ? "once" : `${restarts} times`;
  const last = now.state === "restarting" ? "" : `, last ${agoOf(now.since, nowMs)}`;
  const advice =
    isOutOfMemory && memoryBytes !== undefined
      ? `raise its \`resources.limits.memory\` in sett.yml, then \`${suggest("up")}\``
      : `\`${suggest(`logs ${agent}`)}\` may show why`;
  return `\`${agent}\` ${isOutOfMemory ? `was killed for want of memory${limit}` : ended}, and was started again ${often}${last}: ${advice}`;
}
