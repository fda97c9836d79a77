// Members of JSON that others wrote: nothing about its shape is certain.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for anything but an object; arrays are none. */
export function objectOf(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Undefined for what is no JSON. */
export function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member at a path of names: undefined where any of them is missing. */
export function memberAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

export function textAt(value: unknown, ...path: string[]): string {
  const member = memberAt(value, ...path);
  return typeof member === "string" ? member : "";
}

/** A count of tokens: 0 for anything that is none. */
export function countAt(value: unknown, ...path: string[]): number {
  const member = memberAt(value, ...path);
  return typeof member === "number" && Number.isFinite(member) && member > 0
    ? Math.min(Math.ceil(member), maxCount)
    : 0;
}

/**
 * Without a number of tokens there is no report: the call is then charged what it may have cost.
 */
export function hasCount(usage: unknown, names: readonly string[]): boolean {
  return names.some((name) => {
    const count = memberAt(usage, name);
    return typeof count === "number" && count >= 0;
  });
}

const maxCount = 1_000_000_000_000;
