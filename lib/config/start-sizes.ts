// Agents whose variables, prompts and commands are together more than Linux starts a program with.
import { needsWorkers } from "../model/agent.ts";
import type { AgentConfig, SettConfig } from "../model/config.ts";
import { addedBytes, bytesOf, startBytes, usualStartBytes } from "../model/exec-limits.ts";
import { inPieces } from "../model/in-pieces.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };

/**
 * By the values of this machine. The share of the image and of secrets is known at `sett up` alone.
 */
export function startSizes({ agents }: SettConfig): Finding[] {
  return agents.flatMap((agent) => {
    const bytes = ownBytes(agent);
    if (bytes <= usualStartBytes - addedBytes) return [];
    return [
      {
        path: ["agents", agent.name, largestOf(agent)],
        sentence: tooMuch(agent.name, bytes, usualStartBytes - addedBytes),
      },
    ];
  });
}

/** `what`: an agent's name, or a part of the instance. */
export function tooMuch(what: string, bytes: number, limit: number): string {
  const numbers = `${bytes} bytes together, and Linux starts no program with more than ${limit}`;
  return `the variables, prompts and command of \`${what}\` are ${numbers}: leave some out, or put long values into files`;
}

/** All variables of a part are in one Secret, whose values together may have so much. */
const maxSecretBytes = 1024 * 1024;

/** Agents with more variables than a cluster keeps; those of workers are kept together, too. */
export function clusterSizes({ agents }: Pick<SettConfig, "agents">): Finding[] {
  const limit = maxSecretBytes - addedBytes;
  const finding = (agent: AgentConfig, whose: string, bytes: number) => ({
    path: ["agents", agent.name, largestOf(agent)],
    sentence: `the variables, prompts and command of ${whose} are ${bytes} bytes together, and a Secret of a cluster holds no more than ${limit} of them: leave some out, or put long values into files of the image`,
  });
  const alone = agents.flatMap((agent) => {
    const bytes = bytesOf(Object.values(ownVariables(agent)).join(""));
    return bytes <= limit ? [] : [finding(agent, `\`${agent.name}\``, bytes)];
  });
  if (alone.length > 0) return alone;
  const sizes = agents
    .filter(needsWorkers)
    .map((agent) => ({ agent, bytes: bytesOf(JSON.stringify(ownVariables(agent))) }));
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  const sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
  if (largest === undefined || sum <= limit) return [];
  return [finding(largest.agent, "all agents with workers", sum)];
}

function ownBytes(agent: AgentConfig): number {
  return startBytes([], ownVariables(agent));
}

/** As the cub gets them. */
function ownVariables({
  environment,
  prompts,
  command,
  bid_command = [],
}: AgentConfig): Record<string, string> {
  const { claim = "", execution = "" } = prompts;
  return {
    ...environment,
    ...inPieces("SETT_PROMPT_CLAIM", claim),
    ...inPieces("SETT_PROMPT_EXECUTION", execution),
    SETT_AGENT_COMMAND: JSON.stringify(command),
    SETT_BID_COMMAND: JSON.stringify(bid_command),
  };
}

function largestOf({ environment, prompts }: AgentConfig): "environment" | "prompts" {
  const { claim = "", execution = "" } = prompts;
  return startBytes([], environment) >= startBytes([claim, execution], {})
    ? "environment"
    : "prompts";
}
