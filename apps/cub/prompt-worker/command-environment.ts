// The environment of what the model runs: the agent's own, without the token of the gateway and
// without the worker's settings.
import { isModelVariable } from "../../../lib/models/providers.ts";

const visible = new Set(["SETT_INSTANCE_NAME", "SETT_AGENT_NAME", "SETT_AGENT_ROLE", "SETT_PART"]);

/**
 * `commits`: variables with the hashes of commits, which the prompt names. The image's own library
 * path is restored.
 */
export function commandEnvironment(
  environment: Record<string, string | undefined>,
  commits: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const commands: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && isForCommands(name)) commands[name] = value;
  }
  const libraryPath = environment.SETT_IMAGE_LD_LIBRARY_PATH;
  if (libraryPath !== undefined && libraryPath !== "") commands.LD_LIBRARY_PATH = libraryPath;
  return { ...commands, ...commits };
}

function isForCommands(name: string): boolean {
  if (isModelVariable(name) || others.test(name)) return false;
  return !name.startsWith("SETT_") || visible.has(name);
}

const others = /^BUN_|^(?:REDIS_URL|LD_LIBRARY_PATH)$/;
