// Agents whose containers end repeatedly, as the runtime reports it, with advice.

import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import { agoOf } from "../../../lib/words/age.ts";

/** A container that has run for this long since its restart has recovered. */
const recoveredAfterMs = 60_000;

export type Crash = {
  agent: AgentName;
  restarts: number;
  isOutOfMemory: boolean;
  memoryBytes: number | undefined;
  /**
   * It waits for its restart, or it runs since a time (ISO 8601); the runtime no longer knows its
   * last exit code then.
   */
  now: { state: "restarting"; exitCode: number } | { state: "running"; since: string };
};

export function crashesOf(containers: readonly ContainerPart[], nowMs: number): Crash[] {
  return containers.flatMap(({ labels, state, restarts, isOutOfMemory, memoryBytes }): Crash[] => {
    if (labels.component !== "agent") return [];
    const facts = { agent: labels.agent, restarts, isOutOfMemory, memoryBytes };
    if (state.state === "restarting") return [{ ...facts, now: state }];
    if (
      state.state !== "running" ||
      restarts === 0 ||
      nowMs - Date.parse(state.startedAt) >= recoveredAfterMs
    )
      return [];
    return [{ ...facts, now: { state: state.state, since: state.startedAt } }];
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
  return `\`${agent}\` ${isOutOfMemory ? `ran out of memory and was killed${limit}` : ended}, and was restarted ${often}${last}: ${advice}`;
}
