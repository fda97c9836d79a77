// Marks on record what an assistant does for a person: a reader of the log must be able to tell the
// two apart.

import type { Actor } from "../../model/event.ts";
import { oneLine, shorten } from "../text/plain-text.ts";

const maxNameLength = 60;

/** Clients state themselves so. The name is stated, not proven. */
export type ClientInfo = { name: string; version?: string | undefined } | undefined;

/** `claude-code 2.1`; `an assistant` where the client has not said who it is. */
export function assistantName(client: ClientInfo): string {
  const name = oneLine(`${client?.name ?? ""} ${client?.version ?? ""}`).replace(/[<>]/g, "");
  return name === "" ? "an assistant" : shorten(name, maxNameLength);
}

/**
 * `person:Ada Lovelace, by claude-code 2.1 <ada@example.org>`: the address stays at the end, where
 * every reader expects it.
 */
export function actorBy(person: Actor, client: ClientInfo): Actor {
  const { before, after } = aroundAssistant(person);
  return `${before}${assistantName(client)}${after}`;
}

/**
 * The assistant in an actor that `actorBy` has made for this person; undefined for every other
 * actor.
 */
export function assistantIn(actor: Actor, person: Actor): ClientInfo {
  const { before, after } = aroundAssistant(person);
  const isMade =
    actor.startsWith(before) &&
    actor.endsWith(after) &&
    actor.length > before.length + after.length;
  return isMade ? { name: actor.slice(before.length, actor.length - after.length) } : undefined;
}

function aroundAssistant(person: Actor): { before: string; after: string } {
  const [, name = "", address = ""] = /^(.*?)( <[^<>]*>)?$/.exec(person) ?? [];
  return { before: `${name}, by `, after: address };
}
