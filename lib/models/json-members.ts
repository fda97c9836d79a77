// Members of JSON in its text: one can be replaced, and all else stays byte for byte.
import type { JsonMember } from "../core/json-text.ts";

/**
 * Puts other values in the place of those of some members. `values`: JSON texts by name; names that
 * the object lacks are added first.
 */
export function withMembers(
  text: string,
  members: readonly JsonMember[],
  values: Readonly<Record<string, string>>,
): string {
  let result = "";
  let at = 0;
  for (const { name, start, end } of members) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    result += text.slice(at, start) + value;
    at = end;
  }
  result += text.slice(at);
  const names = new Set(members.map(({ name }) => name));
  const added = Object.entries(values).filter(([name]) => !names.has(name));
  if (added.length === 0) return result;
  const open = result.indexOf("{") + 1;
  const inserted = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return `${result.slice(0, open)}${inserted}${members.length === 0 ? "" : ","}${result.slice(open)}`;
}

/**
 * The members of all objects in a parsed text: fewer than in the text where an object has a member
 * twice.
 */
export function countMembers(json: unknown): number {
  let count = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) count += inner.length;
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one);
  }
  return count;
}
