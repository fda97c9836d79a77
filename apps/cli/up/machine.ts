// What `sett up --runtime process` needs of this machine, looked for before anything is made.
import { basename, isAbsolute, join, relative } from "node:path";
import type { HostRepository } from "../../../lib/git/host-repository.ts";
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { findPrograms } from "../instance/programs.ts";
import { processOptions } from "../instance/runtimes.ts";
import { exists } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import type { Machine } from "./as-processes.ts";

/**
 * The configuration as this machine can follow it, and what else is needed for that. Says what is given up. Throws `config-invalid` for
 * what would not work here, and `process-failed` when a program is missing.
 */
export async function prepareMachine(
  asked: SettConfig,
  file: string,
  { place }: HostRepository,
  { env, messages }: Pick<Shell, "env" | "messages">,
): Promise<Omit<Machine, "port">> {
  const { toplevel: workspace, commonDir: gitDir } = place;
  const agents = await Promise.all(asked.agents.map((agent) => onMachine(agent, file)));
  const programs = await findPrograms();
  messages.warn("Nothing is isolated: agents run as you, with your files and your network.");
  messages.note(imagesNote(asked.agents, agents, workspace));
  return { config: { ...asked, agents }, programs, workspace, gitDir, processes: processOptions(env) };
}

/** The agent as if it were of one image that is there: this machine. */
async function onMachine(agent: AgentConfig, file: string): Promise<AgentConfig> {
  const { command, bid_command, ...rest } = agent;
  return {
    ...rest,
    source: { kind: "image", image: "machine" },
    command: await locate(command, agent, `${file}: agents.${agent.name}.command`),
    ...(bid_command === undefined
      ? {}
      : { bid_command: await locate(bid_command, agent, `${file}: agents.${agent.name}.bid_command`) }),
  };
}

/**
 * A program that only the image would have, because its Dockerfile copies it from beside itself, is run from there. A path without a
 * leading slash is looked up in the working copy, and a bare name in the PATH: later.
 */
async function locate([program, ...words]: string[], { source }: AgentConfig, setting: string): Promise<string[]> {
  if (program === undefined) return [];
  if (!isAbsolute(program) || (await exists(program))) return [program, ...words];
  const folder = source.kind === "build" ? source.context : source.kind === "devcontainer" ? source.folder : undefined;
  const original = folder === undefined ? undefined : join(folder, basename(program));
  if (original !== undefined && (await exists(original))) return [original, ...words];
  throw new SettError(
    "config-invalid",
    `${setting}: there is no ${program} on this machine, and without Docker no image is used.`,
    {
      hint: 'Name a file of the repository, which works with and without containers: ["./path/to/it"]',
    },
  );
}

function imagesNote(asked: readonly AgentConfig[], agents: readonly AgentConfig[], workspace: string): string {
  const moved = agents.flatMap(({ command: [now = ""] }, index) => (asked[index]?.command[0] === now ? [] : [now]));
  const instead =
    moved.length === 0 ? "" : `; in place of those in images, ${moved.map((path) => relative(workspace, path)).join(", ")}`;
  return `No images are used: commands are run with the programs of this machine and without limits${instead}.`;
}
