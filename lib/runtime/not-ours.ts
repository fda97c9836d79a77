// The sentence about what has the name that a part of an instance needs, and is not Sett's.
import { SettError } from "../model/errors.ts";
import type { Stranger } from "./port.ts";

/**
 * `instance-taken`, with the way to remove each, and the ways around. `strangers`: one at least.
 */
export function notOurs(strangers: readonly Stranger[]): SettError {
  const what = strangers
    .map(({ sort, name }) => `${sort === "image" ? "an" : "a"} ${sort} ${name}`)
    .join(" and ");
  const [exist, it] = strangers.length === 1 ? ["exists", "it"] : ["exist", "them"];
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${exist} that Sett has not made for this instance.`;
  const removals = strangers
    .map(({ sort, name, id }) => `\`docker ${commands[sort]} ${id ?? name}\``)
    .join(", ");
  const adoptions = strangers
    .flatMap(({ adoption }) => (adoption === undefined ? [] : [`\`${adoption}\``]))
    .join(", ");
  const orElse =
    adoptions === "" ? "" : ` Where you know that it is this instance's: ${adoptions}.`;
  return new SettError("instance-taken", message, {
    hint: `Where you need ${it} no more: ${removals}.${orElse} Or choose another name for the instance: sett up --name NAME`,
  });
}

const commands = {
  container: "rm --force",
  volume: "volume rm",
  network: "network rm",
  image: "image rm",
} as const;
