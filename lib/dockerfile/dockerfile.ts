// Reads what a Dockerfile says, as far as Sett must know it: its instructions, and which of them
// only BuildKit can build. Pure.
//
// No library is used: the one that there is takes `$((1 <<2))` for a heredoc without an end, and
// reads nothing after it.

/**
 * `line` is counted from 1. `rest`: what is after the keyword and its flags, on one line.
 * `heredoc`: its first, such as `<<EOF`. `openHeredoc`: the name of one that no line ends.
 */
export type Instruction = {
  line: number;
  keyword: string;
  flags: { name: string; value: string }[];
  rest: string;
  heredoc: string | undefined;
  openHeredoc: string | undefined;
};

export type Dockerfile = {
  syntax: { line: number; value: string } | undefined;
  instructions: Instruction[];
};

/**
 * Keywords are in capital letters. What is no instruction is left to the builder, which names it.
 */
export function parseDockerfile(text: string): Dockerfile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const { syntax, mark, count } = directivesOf(lines);
  const instructions: Instruction[] = [];
  // Two marks are one that is meant.
  const isContinued = new RegExp(`(?<!\\${mark})\\${mark}[ \\t]*$`);
  for (let at = count; at < lines.length; ) {
    const line = at + 1;
    let whole = "";
    // Comments and empty lines may be between the lines of one instruction.
    for (let goesOn = true; goesOn && at < lines.length; at += 1) {
      const part = lines[at] ?? "";
      if (/^\s*(?:#|$)/.test(part)) {
        goesOn = whole !== "";
        continue;
      }
      goesOn = isContinued.test(part);
      whole += part.replace(isContinued, "");
    }
    if (whole.trim() === "") continue;
    const instruction = instructionOf(whole.trim(), line);
    const heredocs = takesHeredocs(instruction) ? heredocsOf(instruction.rest) : [];
    const end = endOf(heredocs, lines, at);
    const isWhole = typeof end === "number";
    instructions.push({
      ...instruction,
      heredoc: isWhole ? heredocs[0]?.word : undefined,
      openHeredoc: isWhole ? undefined : end?.open,
    });
    if (isWhole) at = end;
  }
  return { syntax, instructions };
}

/** The comments at the top that give orders; they end with the first line that is none. */
function directivesOf(lines: readonly string[]): {
  syntax: Dockerfile["syntax"];
  mark: "\\" | "`";
  count: number;
} {
  let syntax: Dockerfile["syntax"];
  let mark: "\\" | "`" = "\\";
  let count = 0;
  for (const line of lines) {
    // A file that can be run may begin with the program that runs it.
    if (count === 0 && line.startsWith("#!")) {
      count += 1;
      continue;
    }
    const [, name, value] = /^\s*#\s*([a-z]\w*)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) break;
    count += 1;
    if (name.toLowerCase() === "syntax") syntax = { line: count, value };
    if (name.toLowerCase() === "escape" && value === "`") mark = "`";
  }
  return { syntax, mark, count };
}

function instructionOf(text: string, line: number): Omit<Instruction, "heredoc" | "openHeredoc"> {
  const [, keyword = "", after = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const flags: Instruction["flags"] = [];
  let rest = after;
  // The flags of what ONBUILD triggers count as its own.
  const [, trigger] = keyword.toUpperCase() === "ONBUILD" ? (/^(\S+\s+)/.exec(rest) ?? []) : [];
  const head = trigger ?? "";
  rest = rest.slice(head.length);
  for (;;) {
    const [found, name, value = ""] = /^--([a-z-]+)(?:=(\S*))?(?:\s+|$)/i.exec(rest) ?? [];
    if (found === undefined || name === undefined) break;
    flags.push({ name: name.toLowerCase(), value });
    rest = rest.slice(found.length);
  }
  return { line, keyword: keyword.toUpperCase(), flags, rest: head + rest };
}

function takesHeredocs({ keyword, rest }: { keyword: string; rest: string }): boolean {
  return (
    /^(?:ADD|COPY|RUN)$/.test(keyword) ||
    (keyword === "ONBUILD" && /^(?:ADD|COPY|RUN)\b/i.test(rest))
  );
}

type Heredoc = { word: string; name: string; isIndented: boolean; isShift: boolean };

/** A heredoc is a word of its own, outside of quotes. */
function heredocsOf(rest: string): Heredoc[] {
  const words = rest.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|["'\\])+/g);
  return [...words].flatMap(({ 0: word, index }) => {
    const [, dash, quoted = ""] = /^\d*<<(-?)([^<]+)$/.exec(word) ?? [];
    const name = quoted.replace(/["'\\]/g, "");
    if (dash === undefined || name === "") return [];
    // `$((1 <<n ))` shifts a number.
    const isShift = rest.lastIndexOf("((", index) > rest.lastIndexOf("))", index);
    return [{ word, name, isIndented: dash === "-", isShift }];
  });
}

/**
 * The index of the line after the last heredoc, or the name of one that has no end; undefined where
 * there is none.
 */
function endOf(
  heredocs: readonly Heredoc[],
  lines: readonly string[],
  start: number,
): number | { open: string } | undefined {
  let at = start;
  let isNone = heredocs.length === 0;
  for (const { name, isIndented, isShift } of heredocs) {
    const from = at;
    const end = lines.findIndex(
      (line, index) => index >= from && (isIndented ? line.replace(/^\t+/, "") : line) === name,
    );
    if (end === -1 && !isShift && /^[\w.-]+$/.test(name)) return { open: name };
    if (end === -1) isNone = true;
    else at = end + 1;
  }
  return isNone ? undefined : at;
}

/** By instruction; what is in neither list is an error of any builder. */
const flagsOfBuildKit: Readonly<Record<string, readonly string[]>> = {
  RUN: ["mount", "network", "security", "device"],
  COPY: ["link", "chmod", "parents", "exclude"],
  ADD: ["link", "chmod", "checksum", "keep-git-dir", "unpack", "exclude"],
};

/**
 * BuildKit clones it. The older builder would put the page that a browser is shown into the image.
 */
const gitRepository = /^(?:https?:\/\/[^#?]+\.git(?:[#?].*)?|(?:git|ssh):\/\/.+|git@[^:]+:.+)$/;

/** Their values are known to BuildKit without an ARG. */
const platformVariable = /^(?:BUILD|TARGET)(?:PLATFORM|OS|ARCH|VARIANT)$/;

/**
 * The first thing that only BuildKit can build; undefined where there is none. `args`: the build's
 * arguments.
 */
export function needOfBuildKit(
  { syntax, instructions }: Dockerfile,
  args: Readonly<Record<string, string>>,
): { line: number; what: string } | undefined {
  // The usual frontends only say which BuildKit to use; another can mean any language.
  const isUsual =
    syntax === undefined ||
    /^(?:docker\.io\/)?docker\/dockerfile(?::(?!.*labs)[\w.-]+)?(?:@\S+)?$/.test(syntax.value);
  if (!isUsual) return { line: syntax.line, what: `# syntax=${syntax.value}` };
  const known = new Set(Object.keys(args));
  let isGlobal = true;
  for (const { line, keyword, flags, rest, heredoc } of instructions) {
    const acting = keyword === "ONBUILD" ? (/^\S+/.exec(rest)?.[0] ?? "").toUpperCase() : keyword;
    const flag = flags.find(({ name }) => flagsOfBuildKit[acting]?.includes(name));
    if (heredoc !== undefined) return { line, what: `${acting} ${heredoc}` };
    if (flag !== undefined) return { line, what: `${acting} --${flag.name}` };
    const repository =
      acting === "ADD"
        ? rest.split(/[\s"',[\]]+/).find((word) => gitRepository.test(word))
        : undefined;
    if (repository !== undefined) return { line, what: `ADD ${repository}` };
    const [, declared, value] =
      keyword === "ARG" && isGlobal ? (/^(\w+)(=)?/.exec(rest) ?? []) : [];
    if (declared !== undefined && value !== undefined) known.add(declared);
    if (keyword !== "FROM") continue;
    isGlobal = false;
    const used = [
      ...[rest, ...flags.map((one) => one.value)].join(" ").matchAll(/\$\{?(\w+)/g),
    ].map(([, name = ""]) => name);
    const unknown = used.find((name) => platformVariable.test(name) && !known.has(name));
    if (unknown !== undefined) return { line, what: `FROM with $${unknown}` };
  }
  return undefined;
}

/**
 * The names of such variables that a stage declares and nothing has set: the older builder leaves
 * them empty.
 */
export function platformVariablesOf({ instructions }: Dockerfile): string[] {
  const names = instructions.flatMap(({ keyword, rest }) =>
    keyword === "ARG" ? rest.split(/\s+/) : [],
  );
  return [...new Set(names.filter((name) => platformVariable.test(name)))];
}

/**
 * The base images of all stages, without names of stages; undefined where a variable that neither
 * `args` nor an ARG before the first stage gives names one. `args`: the build's arguments;
 * undefined where they are not known.
 */
export function baseImagesOf(
  dockerfile: Dockerfile,
  args: Readonly<Record<string, string>> | undefined,
): string[] | undefined {
  const hasStage = dockerfile.instructions.some(({ keyword }) => keyword === "FROM");
  const images = imagesOf(dockerfile, args);
  return hasStage && images.every((image) => !image.includes("$")) ? images : undefined;
}

/**
 * Each image that a stage begins with, or takes files from. A variable without a value stays, with
 * its dollar sign; without `args` every one stays.
 */
export function imagesOf(
  { instructions }: Dockerfile,
  args: Readonly<Record<string, string>> | undefined,
): string[] {
  const known = globalArguments(instructions, args ?? {});
  // A name means a stage only after that stage has begun: `FROM node AS node` is an image.
  const stages = new Set<string | undefined>();
  return instructions.flatMap(({ keyword, flags, rest }) => {
    const used = flags
      .flatMap(({ name, value }) => sourceIn(name, value))
      .filter((source) => !/^\d*$/.test(source));
    const [base = "", , stage] = keyword === "FROM" ? rest.split(/\s+/) : [];
    if (base !== "") used.push(args === undefined ? base : expanded(base, known));
    const images = used.filter((image) => !stages.has(image.toLowerCase()));
    stages.add(stage?.toLowerCase());
    return images;
  });
}

/** Whether there is a stage that the last one does not need, also not by way of others. */
export function hasUnusedStage({ instructions }: Dockerfile): boolean {
  const stages: { name: string | undefined; sources: string[] }[] = [];
  for (const { keyword, flags, rest } of instructions) {
    if (keyword === "FROM") {
      const [image = "", , name] = rest.toLowerCase().split(/\s+/);
      stages.push({ name, sources: [image] });
    }
    stages.at(-1)?.sources.push(...flags.flatMap(({ name, value }) => sourceIn(name, value)));
  }
  const used = new Set([stages.length - 1]);
  // A stage uses only what is before it.
  for (let at = stages.length - 1; at > 0; at -= 1) {
    if (!used.has(at)) continue;
    for (const source of stages[at]?.sources ?? []) {
      const byName = stages.findLastIndex(
        ({ name }, index) => index < at && name !== undefined && name === source.toLowerCase(),
      );
      used.add(byName === -1 && /^\d+$/.test(source) ? Number(source) : byName);
    }
  }
  return stages.some((_, at) => !used.has(at));
}

/** Lists what a FROM can use: each ARG before the first one, with its default or argument. */
function globalArguments(
  instructions: readonly Instruction[],
  args: Readonly<Record<string, string>>,
): Map<string, string> {
  const known = new Map<string, string>();
  for (const { keyword, rest } of instructions) {
    if (keyword === "FROM") break;
    if (keyword !== "ARG") continue;
    for (const [, name = "", quoted] of rest.matchAll(/(\w+)(?:=("[^"]*"|'[^']*'|\S*))?/g)) {
      const value = args[name] ?? (quoted === undefined ? undefined : expanded(quoted, known));
      if (value !== undefined) known.set(name, value);
    }
  }
  return known;
}

/** With its variables' values and without quotes. What is not known stays, with its dollar sign. */
function expanded(word: string, known: ReadonlyMap<string, string>): string {
  return word
    .replace(/^(["'])(.*)\1$/, "$2")
    .replace(
      /\$(?:(\w+)|\{(\w+)(?:(:?[-+])([^{}$]*))?\})/g,
      (all, plain, braced, operator = "", other = "") => {
        const value = known.get(plain ?? braced);
        // BuildKit has a value for it, and the older builder has none.
        if (value === undefined && platformVariable.test(plain ?? braced)) return all;
        const isSet = value !== undefined && !(operator.startsWith(":") && value === "");
        if (operator.endsWith("+")) return isSet ? other : "";
        if (operator.endsWith("-") && !isSet) return other;
        return value ?? all;
      },
    );
}

/** `COPY --from=IMAGE`, `RUN --mount=type=bind,from=IMAGE`. */
function sourceIn(name: string, value: string): string[] {
  if (name === "from") return [value];
  return name === "mount"
    ? [...value.matchAll(/(?:^|,)from=([^,]+)/g)].map(([, image = ""]) => image)
    : [];
}
