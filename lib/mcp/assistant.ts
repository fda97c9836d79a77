// Marks on record what an assistant does for a person: a reader of the log must be able to tell the two apart.
import { oneLine, shorten } from "../client/text/plain-text.ts";
import type { Actor } from "../model/event.ts";

const maxNameLength = 60;

/** As clients state themselves. The name is stated, not proven. */
export type ClientInfo = { name: string; version?: string | undefined } | undefined;

/** `claude-code 2.1`; `an assistant` where the client has not said who it is. */
export function assistantName(client: ClientInfo): string {
  const name = oneLine(`${client?.name ?? ""} ${client?.version ?? ""}`).replace(/[<>]/g, "");
  return name === "" ? "an assistant" : shorten(name, maxNameLength);
}

/** `person:Ada Lovelace, by claude-code 2.1 <ada@example.org>`: the address stays at the end, where every reader expects it. */
export function actorBy(person: Actor, client: ClientInfo): Actor {
  const [, name = "", address = ""] = /^(.*?)( <[^<>]*>)?$/.exec(person) ?? [];
  return `${name}, by ${assistantName(client)}${address}`;
}
