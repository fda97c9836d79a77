// The patterns of a `.dockerignore`, matched as `docker build` matches them. Pure.
//
// They follow moby/patternmatcher, which every builder of Docker uses, quirks included. No library
// in JavaScript does: the one that there is decides path by path, so that ignored folders must be
// read too, and takes `+`, `(` and `{` for operators.
import { normalize } from "node:path/posix";

type Pattern = {
  /** It begins with `!`: what it matches is sent after all. */
  isException: boolean;
  matches(path: string): boolean;
  /** Whether it can match a path below `folder`; true where that is not known. */
  mayMatchBelow(folder: string): boolean;
};

/**
 * The facts of a folder, for what is in it: which patterns have matched the folder itself, or one
 * above.
 */
export type Verdict = {
  isIgnored: boolean;
  /** True for an ignored folder in which an exception may keep something. */
  mustBeRead: boolean;
  matched: readonly boolean[];
};

export type IgnorePatterns = {
  /**
   * `path` is relative to the context; `above` is the verdict on its folder, undefined for what is
   * at the top.
   */
  judge(path: string, above: Verdict | undefined): Verdict;
};

/** Throws an Error whose message names the line with a pattern that Docker refuses. */
export function parseIgnoreFile(text: string): IgnorePatterns {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const patterns = lines.flatMap((line, at) => {
    // Only a # in the first column begins a comment.
    const pattern = line.startsWith("#") ? "" : line.trim();
    if (pattern === "") return [];
    try {
      return [patternOf(pattern)];
    } catch {
      throw new Error(`line ${at + 1} is no pattern: ${pattern}`);
    }
  });
  return { judge: (path, above) => judge(patterns, path, above) };
}

/**
 * The last pattern that matches decides. A pattern whose answer would change nothing is not asked,
 * and so does not count as having matched the folder for what is in it: Docker's order of work,
 * which shows in the result.
 */
function judge(patterns: readonly Pattern[], path: string, above: Verdict | undefined): Verdict {
  let isIgnored = false;
  const matched = patterns.map((pattern, at) => {
    const isMatch =
      above?.matched[at] === true || (pattern.isException === isIgnored && pattern.matches(path));
    if (isMatch) isIgnored = !pattern.isException;
    return isMatch;
  });
  const lastIgnoring = matched.findLastIndex(
    (isMatch, at) => isMatch && patterns[at]?.isException === false,
  );
  const mustBeRead =
    isIgnored &&
    patterns.some((one, at) => one.isException && at > lastIgnoring && one.mayMatchBelow(path));
  return { isIgnored, mustBeRead, matched };
}

function patternOf(line: string): Pattern {
  const isException = line.startsWith("!");
  const text = cleaned(isException ? line.slice(1).trim() : line);
  if (isException && (text === "" || text === "/")) throw new Error("an exception of nothing");
  checkSyntax(text);
  const matches = matcherOf(text);
  const parts = text.split("/");
  // From the first part with ** on, a pattern can match at any depth.
  const deep = parts.findIndex((part) => part.includes("**"));
  const heads = (deep === -1 ? parts : parts.slice(0, deep)).map(partMatcher);
  return {
    isException,
    matches,
    mayMatchBelow(folder) {
      const folders = folder.split("/");
      const compared = Math.min(folders.length, heads.length);
      if (!folders.slice(0, compared).every((name, at) => heads[at]?.(name))) return false;
      return deep !== -1 || heads.length > folders.length;
    },
  };
}

/** As Go's `filepath.Clean`, and relative to the context. */
function cleaned(pattern: string): string {
  if (pattern === "") return "";
  const path = normalize(pattern);
  return path.length > 1 ? path.replace(/\/$/, "").replace(/^\//, "") : path;
}

/** A part of a pattern with a set that holds a slash is none by itself: then it may match. */
function partMatcher(part: string): (name: string) => boolean {
  try {
    checkSyntax(part);
    return matcherOf(part);
  } catch {
    return () => true;
  }
}

/**
 * Throws as Go's `filepath.Match` refuses: a set that does not end, an empty one, a backslash at
 * the end.
 */
function checkSyntax(pattern: string): void {
  if (
    !/^(?:[^[\\]|\\[\s\S]|\[\^?(?:(?:[^\\\]-]|\\[\s\S])(?:-(?:[^\\\]-]|\\[\s\S]))?)+\])*$/.test(
      pattern,
    )
  ) {
    throw new Error("a pattern that does not end");
  }
}

function matcherOf(pattern: string): (path: string) => boolean {
  const isPlain = !/[*?[\]\\]/.test(pattern);
  if (isPlain) return (path) => path === pattern;
  // Without another special character Docker compares letters, and `**name` then needs no slash
  // before the name.
  const [, end] = /^\*\*([^*?[\]\\]*)$/.exec(pattern) ?? [];
  if (end !== undefined)
    return (path) => path.endsWith(end) || (end.startsWith("/") && path === end.slice(1));
  const [, start] = /^([^*?[\]\\]+)\*\*$/.exec(pattern) ?? [];
  if (start !== undefined) return (path) => path.startsWith(start);
  const expression = new RegExp(`^${expressionOf(pattern)}$`);
  return (path) => expression.test(path);
}

/** Docker translates letter by letter, inside of sets too. */
function expressionOf(pattern: string): string {
  return pattern.replace(
    /\*\*\/?(?=(.?))|\*|\?|\\([\s\S])|[.+()|{}$]/gs,
    (found, next, escaped) => {
      if (found.startsWith("**")) return next === "" ? "[^\\n]*" : "(?:[^\\n]*/)?";
      if (found === "*") return "[^/]*";
      // One character may be two units of JavaScript's text.
      if (found === "?") return "(?:[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[^/])";
      if (escaped === undefined) return `\\${found}`;
      return escapeOf(escaped);
    },
  );
}

/** A letter after a backslash means what it means in an expression of Go, which has few of them. */
function escapeOf(character: string): string {
  if (!/[0-9A-Za-z]/.test(character))
    return /[^\x21-\x7e]/.test(character) ? character : `\\${character}`;
  if (/[dDsSwWbBfnrtv]/.test(character)) return `\\${character}`;
  throw new Error(`no such letter: \\${character}`);
}
