// Who is at the keyboard, for the record.
import type { HostRepository } from "../../lib/git/host-repository.ts";
import type { Actor } from "../../lib/model/event.ts";
import { oneLine } from "./render/plain-text.ts";
import type { Shell } from "./shell.ts";

/** As git knows them, else as the system does. It is asserted, not proven. */
export async function personOf(repository: HostRepository | undefined, { env }: Pick<Shell, "env">): Promise<Actor> {
  const identity = await repository?.identity();
  const names = [identity?.name, identity?.email, env.USER, env.LOGNAME].map((name) => oneLine(name ?? ""));
  return `person:${names.find((name) => name !== "") ?? "unknown"}`;
}
