// The sentence about what has the name that a part of an instance needs, and is not Sett's.
import { SettError } from "../model/errors.ts";
import type { Stranger } from "./port.ts";

/** `instance-taken`, with the way to remove each, and the way around. `strangers`: one at least. */
export function notOurs(strangers: readonly Stranger[]): SettError {
  const what = strangers.map(({ sort, name }) => `a ${sort} ${name}`).join(" and ");
  const exist = strangers.length === 1 ? "exists" : "exist";
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${exist} that Sett has not made for this instance.`;
  const removals = strangers.map(({ sort, name }) => `\`docker ${commands[sort]} ${name}\``).join(", ");
  return new SettError("instance-taken", message, {
    hint: `Where you need ${strangers.length === 1 ? "it" : "them"} no more: ${removals}. Or choose another name for the instance: sett up --name NAME`,
  });
}

const commands = { container: "rm --force", volume: "volume rm", network: "network rm" } as const;
