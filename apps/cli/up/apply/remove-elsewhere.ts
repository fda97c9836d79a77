// Removes what an instance has in a Redis that is not its own: its keys and its users. What others
// have there stays.
import { dirname, resolve } from "node:path";
import { checkConfig } from "../../../../lib/config/read-config.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { messageOf, SettError } from "../../../../lib/model/errors.ts";
import type { InstanceParts } from "../../../../lib/runtime/port.ts";
import { elsewhereIn } from "../../instance/place.ts";
import { workspaceOf } from "../../instance/workspace-of.ts";
import { findConfig } from "../../program/config-path.ts";
import { exists } from "../../program/workspace-root.ts";
import { elsewhereOf } from "../../services/redis-elsewhere.ts";
import type { Shell } from "../../terminal/shell.ts";
import type { Elsewhere } from "../secrets/read-elsewhere.ts";

type Input = { parts: InstanceParts; id: string | undefined; isForced: boolean };

/**
 * Undefined where the instance has a Redis of its own. Only sett.yml says how to reach the other
 * one: what is missing for that is said here, before anything is stopped. `isForced`: what cannot
 * be reached stays there.
 */
export async function elsewhereFor(
  { parts, id, isForced }: Input,
  shell: Shell,
): Promise<{ remove(): Promise<void> } | undefined> {
  const { instance, containers } = parts;
  const running = elsewhereIn(parts);
  const hasOwn =
    running === undefined && containers.some(({ labels }) => labels.component === "redis");
  if (hasOwn) return undefined;
  const known = await configOf(parts, shell);
  const named = known === undefined ? undefined : elsewhereOf(known.config);
  if (running === undefined && named === undefined) return undefined;
  try {
    if (known === undefined || (running !== undefined && running !== named))
      throw unknownElsewhere(parts, running);
    const elsewhere = await readAccess(known, shell);
    const { holdsShared, removeFromShared } = await import(
      "../../../../lib/blackboard/redis/administration.ts"
    );
    const keepsUsers = known.config.services.redis.users !== undefined;
    const owner = { url: elsewhere.url, ca: elsewhere.ca, instance, keepsUsers };
    // Another sett may have this name there.
    if (id === undefined || !(await holdsShared(owner, id))) return undefined;
    return {
      remove: async () => {
        await removeFromShared(owner, id);
        if (keepsUsers)
          shell.messages.warn(
            `The users of ${instance} stay in Redis at ${elsewhere.shown}, whose operators have made them: \`sett.${instance}.*\`.`,
          );
      },
    };
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    if (!isForced) throw withForce(error);
    shell.messages.warn(
      `What ${instance} has in Redis stays there, its keys \`sett:${instance}:*\` and its users \`sett.${instance}.*\`: ${messageOf(error)}`,
    );
    return undefined;
  }
}

type Known = { config: SettConfig; file: string };

/** Undefined where there is no sett.yml without mistakes, or no repository any more. */
async function configOf(parts: InstanceParts, { cwd, env }: Shell): Promise<Known | undefined> {
  const folder = workspaceOf(parts) || cwd;
  if (!(await exists(folder))) return undefined;
  try {
    const { file } = await findConfig({ cwd: folder, env }, undefined);
    const path = resolve(folder, file);
    const { config } = await checkConfig(path, env, { withoutKeys: true });
    return config === undefined ? undefined : { config, file: path };
  } catch (error) {
    if (error instanceof SettError) return undefined;
    throw error;
  }
}

async function readAccess(
  { config, file }: Known,
  { env, interrupted: signal, messages }: Shell,
): Promise<Elsewhere> {
  const [{ invalidSecret, readSource }, { readElsewhere }] = await Promise.all([
    import("../../program/secret-source.ts"),
    import("../secrets/read-elsewhere.ts"),
  ]);
  const name = config.services.redis.secret;
  const source = name === undefined ? undefined : config.secrets[name];
  const machine = { folder: dirname(file), env, signal, onSlow: messages.note };
  const read =
    name === undefined || source === undefined
      ? undefined
      : await readSource(name, source, machine);
  if (name !== undefined && read?.value.length === 0)
    throw invalidSecret(name, `${read.from} has no value`, "Put the value there.");
  const password = read?.value.toString("utf8").trim();
  const elsewhere = await readElsewhere(config, { password, users: undefined });
  if (elsewhere === undefined) throw new Error("The configuration names no Redis.");
  return elsewhere;
}

function withForce({ code, message, cause }: SettError): SettError {
  const hint =
    "`sett down --volumes` removes keys and users there, as sett.yml says how. With --force they stay.";
  return new SettError(code, message, { hint, cause });
}

function unknownElsewhere({ instance }: InstanceParts, running: string | undefined): SettError {
  return new SettError(
    "config-invalid",
    `The blackboard of ${instance} is in Redis at ${running}, and no sett.yml says how to remove it there.`,
  );
}
