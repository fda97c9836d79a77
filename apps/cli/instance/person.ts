// The name of the person at the keyboard, for the record.

import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { Shell } from "../terminal/shell.ts";

/**
 * `as`, else name and address from git, else the user name of the system. The name is stated, not
 * proven. Throws `usage` for an empty `as`.
 */
export async function personOf(
  repository: HostRepository | undefined,
  { env }: Pick<Shell, "env">,
  as?: string,
): Promise<Actor> {
  if (as !== undefined) {
    if (oneLine(as) === "")
      throw new SettError("usage", "--as is empty.", {
        hint: 'Write your name: --as "Ada Lovelace"',
      });
    return `person:${oneLine(as)}`;
  }
  const { name = "", email = "" } = repository?.place.person ?? {};
  const parts = [oneLine(name), oneLine(email)].filter((part) => part !== "");
  if (parts.length === 2) return `person:${parts[0]} <${parts[1]}>`;
  const names = [...parts, ...[env.USER, env.LOGNAME].map((one) => oneLine(one ?? ""))];
  return `person:${names.find((one) => one !== "") ?? "unknown"}`;
}
