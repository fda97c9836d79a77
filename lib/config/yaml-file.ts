// From YAML text to plain data, and back from a path in the data to a line of the text.
import { LineCounter, parseDocument, type YAMLError } from "yaml";
import { messageOf } from "../model/errors.ts";
import { type ConfigPath, formatPath, type PlacedProblem } from "./problems.ts";
import { findOffset } from "./yaml-find.ts";
import { checkStructure, keepTextOfScalars, lastAlias, pathAt } from "./yaml-structure.ts";
import { hideVariables, showVariables } from "./yaml-variables.ts";

export type YamlFile = {
  /** Mistakes of YAML itself. With any of them, except a duplicate key, `data` is undefined. */
  mistakes: PlacedProblem[];
  data: unknown;
  /**
   * The place of a path, or of the nearest part of it that exists. `key` asks for the key even
   * where there is a value.
   */
  place(path: ConfigPath, side?: "key" | "value"): { line: number; column: number };
};

/** Never throws: `mistakes` has everything that is wrong with the text. */
export function parseYaml(text: string): YamlFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(hideVariables(text), {
    lineCounter,
    prettyErrors: false,
    merge: true,
    strict: true,
  });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    // The empty end of a file without any line has no position of its own.
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const place: YamlFile["place"] = (path, side = "value") => at(findOffset(document, path, side));

  const syntax = onlyTheCause([...document.errors, ...document.warnings]);
  const structure = syntax.some(isExhaustion) ? [] : checkStructure(document);
  const mistakes = [
    ...syntax.map((error) => {
      const path = pathAt(document, error.pos[0]);
      return { ...at(error.pos[0]), path: formatPath(path), sentence: sentenceOf(error, path) };
    }),
    ...structure.map(({ offset, path, sentence }) => ({
      ...at(offset),
      path: formatPath(path),
      sentence,
    })),
  ];
  const isReadable =
    structure.length === 0 && syntax.every((error) => error.code === "DUPLICATE_KEY");
  if (!isReadable) return { mistakes, data: undefined, place };

  showVariables(document);
  keepTextOfScalars(document);
  try {
    return { mistakes, data: document.toJS({ maxAliasCount: 100 }), place };
  } catch (error) {
    // The only failure left is the library's limit for aliases of aliases, which multiply.
    const offset = lastAlias(document);
    const path = formatPath(pathAt(document, offset));
    return {
      mistakes: [...mistakes, { ...at(offset), path, sentence: expansionSentence(error) }],
      data: undefined,
      place,
    };
  }
}

/** True for a file with nothing but comments. */
export function isEmpty(data: unknown): boolean {
  return data === null || data === undefined;
}

function expansionSentence(error: unknown): string {
  const isBomb = error instanceof Error && /alias count/.test(error.message);
  return isBomb
    ? "has aliases of aliases, which become too large"
    : `cannot be expanded: ${messageOf(error)}`;
}

/** A text that is nested too deeply yields an error for each level, after the actual one. */
function onlyTheCause(errors: readonly YAMLError[]): readonly YAMLError[] {
  const cause = errors.find(isExhaustion);
  return cause === undefined ? errors : [cause];
}

function isExhaustion(error: YAMLError): boolean {
  return error.code === "RESOURCE_EXHAUSTION";
}

function sentenceOf(error: YAMLError, path: ConfigPath): string {
  switch (error.code) {
    case "DUPLICATE_KEY":
      return `the key \`${path.at(-1) ?? ""}\` is here a second time`;
    case "MULTIPLE_DOCS":
      return "begins a second document (`---`): a file may have only one";
    case "RESOURCE_EXHAUSTION":
      return "is nested too deeply";
    case "TAB_AS_INDENT":
      return "a tab indents this line: YAML needs spaces";
    default:
      return `is not YAML: ${error.message}`;
  }
}
