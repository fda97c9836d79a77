// Adds a key to a map of a sett.yml's text, and leaves every other character as it is. Pure.
import { type Document, isMap, parseDocument } from "yaml";
import { hideVariables, showVariables } from "./yaml-variables.ts";

/**
 * `map`: a key at the top of the file, such as `agents`; `value`: of the new key, as lines of YAML
 * without an indent. The map is made in front of `before` where it is missing. Where the text
 * cannot take lines, as with a map in braces, the file is written anew, with its comments.
 */
export function insertIntoMap(
  text: string,
  {
    map,
    key,
    value,
    before,
  }: { map: string; key: string; value: readonly string[]; before?: string },
): string {
  const wanted = read(text);
  const parsed: unknown = read(value.join("\n")).toJS();
  wanted.setIn([map, key], wanted.createNode(parsed, { flow: false }));
  const made = inLines(text, { map, key, value, before });
  if (
    made !== undefined &&
    JSON.stringify(read(made).toJS()[map]) === JSON.stringify(wanted.toJS()[map])
  )
    return made;
  showVariables(wanted);
  const whole = wanted.toString({ lineWidth: 0 });
  return text.includes("\r\n") ? whole.replaceAll("\n", "\r\n") : whole;
}

function read(text: string): Document {
  return parseDocument(hideVariables(text), { merge: true, prettyErrors: false });
}

type Insertion = { map: string; key: string; value: readonly string[]; before: string | undefined };

function inLines(text: string, { map, key, value, before }: Insertion): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(eol);
  const node: unknown = read(text).get(map, true);
  const entry = (indent: string) => [
    `${indent}${key}:`,
    ...value.map((line) => `${indent}  ${line}`),
  ];
  if (node === undefined) {
    const added = [`${map}:`, ...entry("  "), ""];
    const at = before === undefined ? -1 : firstLineOf(lines, before);
    return at === -1
      ? `${text.trimEnd()}${eol}${eol}${added.join(eol)}`
      : lines.toSpliced(at, 0, ...added).join(eol);
  }
  const begin = lines.findIndex((line) => isKey(line, map));
  if (!isMap(node) || node.flow === true || begin === -1) return undefined;
  const next = lines.findIndex((line, index) => index > begin && /^[^\s#]/.test(line));
  let end = next === -1 ? lines.length : next;
  // What is above the next key at the left edge belongs to it.
  while (end > begin + 1 && /^(?:\s*|#.*)$/.test(lines[end - 1] ?? "")) end -= 1;
  const block = lines.slice(begin + 1, end);
  const first = block.find((line) => /^\s+[^\s#]/.test(line)) ?? "";
  const indent = /^\s*/.exec(first)?.[0] ?? "";
  if (indent === "") return undefined;
  const isAiry = block.some((line) => line.trim() === "");
  return lines.toSpliced(end, 0, ...(isAiry ? [""] : []), ...entry(indent)).join(eol);
}

/** Comments directly above a key belong to it. */
function firstLineOf(lines: readonly string[], key: string): number {
  let at = lines.findIndex((line) => isKey(line, key));
  while (at > 0 && (lines[at - 1] ?? "").startsWith("#")) at -= 1;
  return at;
}

function isKey(line: string, key: string): boolean {
  return line === `${key}:` || line.startsWith(`${key}: `) || line.startsWith(`${key}:#`);
}
