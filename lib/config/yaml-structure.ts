// What YAML allows and a sett.yml does not: odd keys, endless nesting, aliases that lead nowhere.
import { type Document, isAlias, isMap, isScalar, isSeq } from "yaml";
import type { ConfigPath } from "./problems.ts";
import { isMergeKey, keyText, mergeSources, offsetOf } from "./yaml-find.ts";

type StructureProblem = { offset: number; path: ConfigPath; sentence: string };

const maxDepth = 50;
const maxAliases = 100;

/** Problems that would make the data something else than it looks. Without any the document can be turned into data. */
export function checkStructure(document: Document): StructureProblem[] {
  const problems: StructureProblem[] = [];
  let aliases = 0;
  const complain = (node: unknown, path: ConfigPath, sentence: string) => {
    problems.push({ offset: offsetOf(node) ?? 0, path, sentence });
  };

  walk(document.contents, [], (node, path) => {
    if (path.length > maxDepth) {
      complain(node, path.slice(0, 3), "is nested too deeply");
      return "skip";
    }
    if (isAlias(node)) {
      aliases += 1;
      if (aliases === maxAliases + 1) complain(node, path, `is one alias too many: a sett.yml has at most ${maxAliases}`);
      if (aliases <= maxAliases && node.resolve(document) === undefined) {
        complain(node, path, `names an anchor \`&${node.source}\` that does not stand before it`);
      }
    }
    for (const pair of isMap(node) ? node.items : []) {
      const key = keyText(pair.key);
      if (isMergeKey(pair.key)) {
        const named = isSeq(pair.value) ? pair.value.items.length : 1;
        if (mergeSources(document, pair.value).length < named)
          complain(pair.key, path, "`<<` must name a map, or a list of maps");
      } else if (key === undefined) {
        complain(pair.key ?? node, path, "has a key that is not a word");
      } else if (key === "__proto__") {
        complain(pair.key, path, "has a key `__proto__`, which is not allowed");
      }
    }
    return "descend";
  });
  return problems;
}

/** The path of the key, or else of the value, that begins at this offset; empty when there is none. */
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

/** Where the last alias of the text stands. */
export function lastAlias(document: Document): number {
  let offset = 0;
  walk(document.contents, [], (node) => {
    if (isAlias(node)) offset = offsetOf(node) ?? offset;
    return "descend";
  });
  return offset;
}

/**
 * Numbers and booleans under `environment` and `build.args` become the text they are written with, for that is what a process
 * gets: `VERSION: 1.10` is not `1.1`.
 */
export function keepTextOfScalars(document: Document): void {
  const agents = document.get("agents");
  for (const agent of isMap(agents) ? agents.items.map((pair) => pair.value) : []) {
    if (!isMap(agent)) continue;
    for (const values of [agent.get("environment"), agent.getIn(["build", "args"])]) {
      for (const { value } of isMap(values) ? values.items : []) {
        if (isScalar(value) && value.value !== null && value.source !== undefined) value.value = value.source;
      }
    }
  }
}

/** Depth first. The visitor says whether to go on below a node. Aliases are not followed. */
function walk(node: unknown, path: ConfigPath, visit: (node: unknown, path: ConfigPath) => "descend" | "skip"): void {
  if (visit(node, path) === "skip") return;
  if (isMap(node)) for (const pair of node.items) walk(pair.value, [...path, keyText(pair.key) ?? "<<"], visit);
  if (isSeq(node)) for (const [index, item] of node.items.entries()) walk(item, [...path, index], visit);
}
