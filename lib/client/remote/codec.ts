// Writes and reads what JSON does not have, in the values of the blackboard's calls: maps, and what
// is undefined in a list.

const mapKey = "$map";
const nothing = { $undefined: true };

/**
 * `undefined` itself becomes null; members of objects that are undefined are left out, as JSON
 * does.
 */
export function encode(value: unknown): string {
  return JSON.stringify(value === undefined ? null : value, function (this: unknown, _, each) {
    if (each instanceof Map) return { [mapKey]: [...each] };
    return each === undefined && Array.isArray(this) ? nothing : each;
  });
}

export function decode(text: string): unknown {
  return JSON.parse(text, function (this: unknown, _, each) {
    if (isMap(each)) return new Map(each[mapKey]);
    // A reviver cannot return undefined in a list: that would leave a hole, which reads as
    // undefined.
    return isNothing(each) ? undefined : each;
  });
}

function isMap(value: unknown): value is { [mapKey]: [unknown, unknown][] } {
  return isAlone(value, mapKey) && Array.isArray(value[mapKey]);
}

function isNothing(value: unknown): boolean {
  return isAlone(value, "$undefined") && value.$undefined === true;
}

function isAlone<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return (
    typeof value === "object" && value !== null && key in value && Object.keys(value).length === 1
  );
}
