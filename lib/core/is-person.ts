// Decides whether an actor of the log is a person that sett.yml knows.
import type { KnownPerson } from "../model/people.ts";
import { smallLetters } from "../model/small-letters.ts";

/**
 * An actor with an address is the person of that address, whatever its name; one without is the
 * person of that name: `--as ada`, a token that is called so, or a name that is an address. An
 * assistant counts as the person for whom it acts.
 */
export function isPerson(actor: string, { name, email }: KnownPerson): boolean {
  const [, stated = "", address] =
    /^person:(.*?)(?:, by [^<>]*)?(?: <([^<>]*)>)?$/.exec(actor) ?? [];
  if (stated === "" && address === undefined) return false;
  if (address !== undefined) return isSame(address, email);
  return stated === name || isSame(stated, email);
}

/** The case of an address does not count. */
function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && smallLetters(one) === smallLetters(other);
}
