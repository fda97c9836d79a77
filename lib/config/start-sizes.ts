// Agents whose variables, prompts and commands are together more than Linux starts a program with.
import type { AgentConfig, SettConfig } from "../model/config.ts";
import { addedBytes, startBytes, usualStartBytes } from "../model/exec-limits.ts";
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

/** As the cub gets it. */
function ownBytes({ environment, prompts, command, bid_command = [] }: AgentConfig): number {
  const { claim = "", execution = "" } = prompts;
  const variables = {
    ...environment,
    ...inPieces("SETT_PROMPT_CLAIM", claim),
    ...inPieces("SETT_PROMPT_EXECUTION", execution),
    SETT_AGENT_COMMAND: JSON.stringify(command),
    SETT_BID_COMMAND: JSON.stringify(bid_command),
  };
  return startBytes([], variables);
}

function largestOf({ environment, prompts }: AgentConfig): "environment" | "prompts" {
  const { claim = "", execution = "" } = prompts;
  return startBytes([], environment) >= startBytes([claim, execution], {})
    ? "environment"
    : "prompts";
}
