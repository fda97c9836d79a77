// Pages of names, as HSCAN gives them: a name that is there all the while is found, whatever is
// added and removed meanwhile.
import { Refused, syntaxError } from "../reply.ts";
import { wholeOf } from "./command.ts";

/** `options`: MATCH and COUNT, each with its value. */
export function pageOf(
  names: readonly string[],
  cursor: string,
  options: readonly string[],
): { cursor: string; found: string[] } {
  if (!/^\d+$/.test(cursor)) throw new Refused("ERR invalid cursor");
  let [pattern, count] = [/^/, 10];
  for (let place = 0; place < options.length; place += 2) {
    const option = options[place]?.toUpperCase();
    if (option === "MATCH") pattern = patternOf(options[place + 1] ?? "");
    else if (option === "COUNT") count = wholeOf(options[place + 1]);
    else throw syntaxError();
  }
  const from = Number(cursor);
  const placed = names
    .map((name) => ({ name, at: placeOf(name) }))
    .filter(({ at }) => at >= from)
    .sort((one, other) => one.at - other.at);
  let end = Math.min(count, placed.length);
  // Names at one place come together.
  while (end < placed.length && placed[end]?.at === placed[end - 1]?.at) end += 1;
  const found = placed
    .slice(0, end)
    .map(({ name }) => name)
    .filter((name) => pattern.test(name));
  return { cursor: String(placed[end]?.at ?? 0), found };
}

/** It depends on the name alone, and is never zero, with which a scan begins. */
function placeOf(name: string): number {
  let hash = 7;
  for (let place = 0; place < name.length; place += 1)
    hash = (Math.imul(hash, 31) + name.charCodeAt(place)) | 0;
  return (hash >>> 1) + 1;
}

function patternOf(glob: string): RegExp {
  const source = glob.replaceAll(/\\(.)|([*?])|([.+^${}()|/])/gs, (all, quoted, wild) => {
    if (wild !== undefined) return wild === "*" ? ".*" : ".";
    return quoted === undefined ? `\\${all}` : `\\${quoted}`;
  });
  return new RegExp(`^${source}$`, "s");
}
