// Checks, before anything is made, whether this machine has what `sett up --runtime process` needs.
import { basename, isAbsolute, join, relative } from "node:path";
import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { ThisMachine } from "../../../../lib/runtime/process/translate.ts";
import { findPrograms } from "../../instance/programs.ts";
import { processOptions } from "../../instance/runtimes.ts";
import { exists } from "../../program/workspace-root.ts";
import { elsewhereOf } from "../../services/redis-elsewhere.ts";
import type { Shell } from "../../terminal/shell.ts";

/**
 * The configuration as this machine can run it, and the programs for it. Warns about what is
 * missing without containers. Throws `config-invalid` for a command that does not exist here, and
 * `process-failed` when a program of Sett is missing.
 */
export async function prepareMachine(
  written: SettConfig,
  file: string,
  { place }: HostRepository,
  { env, messages }: Pick<Shell, "env" | "messages">,
): Promise<Omit<ThisMachine, "ports"> & { config: SettConfig }> {
  const { toplevel: workspace } = place;
  const config = await onThisMachine(written, file);
  const { agents } = config;
  const programs = await findPrograms({ withRedis: elsewhereOf(written) === undefined });
  messages.warn("Nothing is isolated: agents run as you, with your files and your network.");
  messages.note(imagesNote(written.agents, agents, workspace));
  return { config, programs, workspace, processes: processOptions(env) };
}

/** Throws `config-invalid` for a command that does not exist here. */
export async function onThisMachine(written: SettConfig, file: string): Promise<SettConfig> {
  const agents = await Promise.all(written.agents.map((agent) => onMachine(agent, file)));
  // Parts see the files of this machine.
  const services = { ...written.services, packs: "folders" } as const;
  return { ...written, agents, services };
}

/** The agent with this machine in place of its image. */
async function onMachine(agent: AgentConfig, file: string): Promise<AgentConfig> {
  const { command, bid_command, ...rest } = agent;
  return {
    ...rest,
    source: { kind: "image", image: "machine" },
    command: await locate(command, agent, `${file}: agents.${agent.name}.command`),
    ...(bid_command === undefined
      ? {}
      : {
          bid_command: await locate(
            bid_command,
            agent,
            `${file}: agents.${agent.name}.bid_command`,
          ),
        }),
  };
}

/**
 * An absolute path that exists only in the image, because its Dockerfile copies the file, becomes
 * the path of the original file. A relative path is found in the working copy, and a plain name on
 * the PATH, when the command starts.
 */
async function locate(
  [program, ...args]: string[],
  { source }: AgentConfig,
  setting: string,
): Promise<string[]> {
  if (program === undefined) return [];
  // The adapter is in the base image alone, so that no PATH has it.
  const isAdapter = source.kind === "package" && program === "run-cli";
  if (!isAdapter && (!isAbsolute(program) || (await exists(program)))) return [program, ...args];
  const folder =
    source.kind === "build"
      ? source.context
      : source.kind === "devcontainer"
        ? source.folder
        : undefined;
  const original = folder === undefined ? undefined : join(folder, basename(program));
  if (original !== undefined && (await exists(original))) return [original, ...args];
  throw new SettError(
    "config-invalid",
    `${setting}: there is no ${program} on this machine, and without Docker there are no images.`,
    {
      hint: 'Use a file of the repository, which works with and without containers: ["./path/to/it"]',
    },
  );
}

function imagesNote(
  written: readonly AgentConfig[],
  agents: readonly AgentConfig[],
  workspace: string,
): string {
  const moved = agents.flatMap(({ command: [now] }, index) =>
    now === undefined || written[index]?.command[0] === now ? [] : [now],
  );
  const instead =
    moved.length === 0
      ? ""
      : ` These files replace programs of images: ${moved.map((path) => relative(workspace, path)).join(", ")}.`;
  return `Images are not used: commands use the programs of this machine, without limits.${instead}`;
}
