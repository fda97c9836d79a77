// Judges whether a part runs, and within which limits.

import { sizeText } from "../../../lib/model/size-text.ts";
import type { ContainerSurvey } from "../../../lib/runtime/docker/survey.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import type { Finding } from "../facts/finding.ts";

/** `up`: the command that starts the container again. */
type Context = { subject: string; container: string; up: string };

/**
 * Nothing of a part that runs and always has. `failedCheck`: what its last health check has said,
 * where that failed.
 */
export function stateFinding(
  part: ContainerPart,
  failedCheck: string | undefined,
  { subject, container, up }: Context,
): Finding[] {
  const base = { subject, check: "state" };
  const { state, restarts, isOutOfMemory } = part;
  if (state.state === "running" && failedCheck !== undefined && failedCheck !== "") {
    const remedy = `When the cause is gone it goes on; \`sett logs\` may show more. To start it anew: \`docker restart ${container}\`.`;
    const why =
      "As long as this is so it takes no part in any work: an agent neither bids nor works.";
    return state.health === "unhealthy"
      ? [
          {
            ...base,
            level: "problem",
            found: `it runs, and is not healthy: ${failedCheck}`,
            why,
            remedy,
          },
        ]
      : [
          {
            ...base,
            level: "warning",
            found: `its last health check failed: ${failedCheck}`,
            why,
            remedy,
          },
        ];
  }
  const stopped = stoppedText(part);
  if (stopped !== undefined) {
    const why = "It takes no part in any work: an agent neither bids nor works.";
    const remedy = part.problem?.remedy ?? `\`sett logs\` may show why; \`${up}\` starts it.`;
    return [{ ...base, level: "problem", found: stopped, why, remedy }];
  }
  if (part.taken !== undefined) {
    const { sentence, at } = part.taken;
    const why = "What it was doing at that time is lost; another pod is in its place.";
    const remedy = "`resources` in sett.yml say what it asks for; `sett logs` may show more.";
    return [{ ...base, level: "warning", found: `${sentence} (at ${at})`, why, remedy }];
  }
  if (restarts === 0 || state.state !== "running") return [];
  const often = restarts === 1 ? "once" : `${restarts} times`;
  const found = `running since ${state.startedAt}, restarted ${often}`;
  const remedy = "`sett logs` may show why.";
  if (!isOutOfMemory)
    return [
      { ...base, level: "note", found, why: "What it was doing at those times is lost.", remedy },
    ];
  const why =
    "Something in it was killed for want of memory, which can have been the program that reports it.";
  const more = "Raise its `resources.limits.memory` in sett.yml, or find out what takes so much.";
  return [
    { ...base, level: "warning", found: `${found}; it ran out of memory`, why, remedy: more },
  ];
}

/** A starter says it. */
export function waitingFindings({ waiting = [] }: ContainerPart, subject: string): Finding[] {
  return waiting.map(({ name, sentence }) => ({
    ...{ subject, check: "workers", level: "warning", found: `${name} waits: ${sentence}` },
    why: "Its grant waits with it, for as long as it takes.",
    remedy:
      "Put right what the cluster names, or let its agent ask for less: `resources` in sett.yml. `sett cancel` ends its goal.",
  }));
}

/** Undefined where it runs. */
function stoppedText({ state, problem }: ContainerPart): string | undefined {
  if (problem !== undefined) return `it does not run: ${problem.sentence}`;
  switch (state.state) {
    case "running":
      return state.health === "unhealthy"
        ? "it runs, and does not answer its health check"
        : undefined;
    case "restarting":
    case "exited":
      return `it has ended with exit code ${state.exitCode}`;
    case "paused":
      return "it is paused";
    case "created":
      return "it was never started";
    case "unsupervised":
      return "it runs, and nothing looks after it";
  }
}

export function limitsFinding(
  { limits: { memoryBytes, pids } }: ContainerSurvey,
  { subject, container, up }: Context,
): Finding {
  const base = { subject, check: "limits" };
  const missing = [
    ...(memoryBytes === undefined ? ["memory"] : []),
    ...(pids === undefined ? ["the number of processes"] : []),
  ];
  if (missing.length === 0)
    return {
      ...base,
      level: "ok",
      found: `${sizeText(memoryBytes ?? 0)} of memory, ${pids} processes`,
    };
  return {
    ...base,
    level: "warning",
    found: `none for ${missing.join(" and ")}`,
    why: "Its command can take all that this machine has.",
    remedy: `Sett limits it: \`docker rm --force ${container}\`, then \`${up}\`.`,
  };
}
