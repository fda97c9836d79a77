// A copy of plain data, in a fraction of the time that structuredClone takes.

/** Of what JSON can say, with undefined. */
export function copyOf<Value>(value: Value): Value {
  return copyAny(value) as Value;
}

function copyAny(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyAny);
  const copy: Record<string, unknown> = {};
  for (const name in value) copy[name] = copyAny((value as Record<string, unknown>)[name]);
  return copy;
}
