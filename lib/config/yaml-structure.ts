// Refuses what YAML allows and a sett.yml does not: keys that are not words, deep nesting, aliases
// without an anchor.
import { type Document, isAlias, isMap, isScalar, isSeq } from "yaml";
import type { ConfigPath } from "./problems.ts";
import { isMergeKey, keyText, mergeSources, offsetOf } from "./yaml-find.ts";

type StructureProblem = { offset: number; path: ConfigPath; sentence: string };

const maxDepth = 50;
const maxAliases = 100;

/**
 * Problems because of which the data would differ from the text. Without any, the document can be
 * converted into data.
 */
export function checkStructure(document: Document): StructureProblem[] {
  const problems: StructureProblem[] = [];
  let aliases = 0;
  const report = (node: unknown, path: ConfigPath, sentence: string) => {
    problems.push({ offset: offsetOf(node) ?? 0, path, sentence });
  };

  walk(document.contents, [], (node, path) => {
    if (path.length > maxDepth) {
      report(node, path.slice(0, 3), "is nested too deeply");
      return "skip";
    }
    if (isAlias(node)) {
      aliases += 1;
      if (aliases === maxAliases + 1)
        report(node, path, `is one alias too many: a sett.yml may have at most ${maxAliases}`);
      if (aliases <= maxAliases && node.resolve(document) === undefined) {
        report(node, path, `names an anchor \`&${node.source}\` that is not defined before it`);
      }
    }
    for (const pair of isMap(node) ? node.items : []) {
      const key = keyText(pair.key);
      if (isMergeKey(pair.key)) {
        const named = isSeq(pair.value) ? pair.value.items.length : 1;
        if (mergeSources(document, pair.value).length < named)
          report(pair.key, path, "`<<` must name a map, or a list of maps");
      } else if (key === undefined) {
        report(pair.key ?? node, path, "has a key that is not a word");
      } else if (key === "__proto__") {
        report(pair.key, path, "has a key `__proto__`, which is not allowed");
      }
    }
    return "descend";
  });
  return problems;
}

/**
 * The path of the key, or else of the value, that begins at this offset; empty when there is none.
 */
export function pathAt(document: Document, offset: number): ConfigPath {
  let found: ConfigPath = [];
  walk(document.contents, [], (node, path) => {
    if (path.length > maxDepth) return "skip";
    if (offsetOf(node) === offset && path.length > 0) found = path;
    for (const pair of isMap(node) ? node.items : []) {
      if (offsetOf(pair.key) === offset) found = [...path, keyText(pair.key) ?? ""];
    }
    return "descend";
  });
  return found;
}

/** The offset of the last alias of the text. */
export function lastAlias(document: Document): number {
  let offset = 0;
  walk(document.contents, [], (node) => {
    if (isAlias(node)) offset = offsetOf(node) ?? offset;
    return "descend";
  });
  return offset;
}

/**
 * Numbers and booleans under `environment` and `build.args` become the text that they are written
 * with, because a process gets text: `VERSION: 1.10` is not `1.1`.
 */
export function keepTextOfScalars(document: Document): void {
  const agents = document.get("agents");
  for (const agent of isMap(agents) ? agents.items.map((pair) => pair.value) : []) {
    if (!isMap(agent)) continue;
    for (const values of [agent.get("environment"), agent.getIn(["build", "args"])]) {
      for (const { value } of isMap(values) ? values.items : []) {
        if (isScalar(value) && value.value !== null && value.source !== undefined)
          value.value = value.source;
      }
    }
  }
}

/** Depth first. The visitor says whether to go on below a node. Aliases are not followed. */
function walk(
  node: unknown,
  path: ConfigPath,
  visit: (node: unknown, path: ConfigPath) => "descend" | "skip",
): void {
  if (visit(node, path) === "skip") return;
  if (isMap(node))
    for (const pair of node.items) walk(pair.value, [...path, keyText(pair.key) ?? "<<"], visit);
  if (isSeq(node))
    for (const [index, item] of node.items.entries()) walk(item, [...path, index], visit);
}
