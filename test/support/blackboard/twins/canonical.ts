// One text for what is equal, whatever the order of its members.
import { SettError } from "../../../../lib/model/errors.ts";

export function canonical(value: unknown): string {
  return JSON.stringify(plain(value)) ?? "undefined";
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  const entries =
    value instanceof Map
      ? [...value]
      : typeof value === "object" && value !== null
        ? Object.entries(value)
        : undefined;
  if (entries === undefined) return value;
  const known = entries
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => [String(name), plain(member)] as const);
  return Object.fromEntries(known.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Holds what a call has brought: its value, or its error. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof SettError)) return { error: String(error) };
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
}
