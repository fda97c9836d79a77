// What JSON does not have, in the values of the blackboard's calls: maps, and what is undefined.

const mapKey = "$map";

/** `undefined` itself becomes null; members that are undefined are left out, as JSON does. */
export function encode(value: unknown): string {
  return JSON.stringify(value === undefined ? null : value, (_, each) => (each instanceof Map ? { [mapKey]: [...each] } : each));
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_, each) => (isMap(each) ? new Map(each[mapKey]) : each));
}

function isMap(value: unknown): value is { [mapKey]: [unknown, unknown][] } {
  return (
    typeof value === "object" &&
    value !== null &&
    mapKey in value &&
    Object.keys(value).length === 1 &&
    Array.isArray(value[mapKey])
  );
}
