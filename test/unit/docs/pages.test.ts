// The pages that people read: links lead somewhere, pictures can be drawn, every page can be found,
// lines are short.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join, normalize } from "node:path";
import { $, Glob } from "bun";
import { commands } from "../../../apps/cli/commands.ts";
import { parseConfig } from "../../../lib/config/parse-config.ts";
import {
  anchorsOf,
  blocksOf,
  pagesOfRepository,
  proseOf,
  readPage,
} from "../../support/docs/pages.ts";
import { root } from "../../support/root.ts";

const pages = await pagesOfRepository();
/** Written for this repository; the pages of agents are also for people who copy them. */
const documentation = pages.filter((page) => page === "README.md" || page.startsWith("docs/"));

type Link = { page: string; line: number; target: string };

/** Relative links and pictures, without those to other sites and those in `code`. */
function linksOf(page: string): Link[] {
  return proseOf(readPage(page))
    .split("\n")
    .flatMap((text, index) =>
      [...text.replace(/(`+).*?\1/g, "").matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = ""]) => ({ page, line: index + 1, target }))
        .filter(({ target }) => !/^[a-z]+:/.test(target)),
    );
}

/** Undefined where the link leads to a file or a heading that is there. */
function problemOf({ page, line, target }: Link): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(page, "..", path)).replace(/\/$/, "");
  if (!existsSync(join(root, file))) return `${page}:${line}: ${target}: there is no ${file}`;
  if (anchor === undefined || (file.endsWith(".md") && anchorsOf(file).includes(anchor)))
    return undefined;
  return `${page}:${line}: ${target}: ${file} has no heading with this anchor`;
}

test("every relative link of every page leads to a file, and to a heading where it names one", () => {
  const links = pages.flatMap(linksOf);
  expect(links.length).toBeGreaterThan(100);
  expect(links.flatMap((link) => problemOf(link) ?? [])).toEqual([]);
});

test("every page of the documentation can be reached from the README", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached)
    for (const { target } of linksOf(page)) {
      const file = normalize(join(page, "..", target.split("#")[0] ?? ""));
      if (documentation.includes(file)) reached.add(file);
    }
  expect(documentation.filter((page) => !reached.has(page))).toEqual([]);
});

test("the README has at most 150 lines, and names every command", () => {
  const readme = readPage("README.md");
  expect(readme.split("\n").length).toBeLessThanOrEqual(151);
  expect(Object.keys(commands).filter((name) => !readme.includes(`\`sett ${name}`))).toEqual([]);
});

test("every agent of the repository has a page of its own", async () => {
  const folders = await Array.fromAsync(
    new Glob("*/README.md").scan({ cwd: join(root, "agents") }),
  );
  const wanted = folders.map((file) => `docs/agents/${file.replace("/README.md", ".md")}`);
  expect(wanted.filter((page) => !pages.includes(page))).toEqual([]);
});

test("lines of the documentation have at most 100 columns, but for tables, pictures and what is shown of a terminal", () => {
  const forPeople = [...documentation, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
  const long = forPeople.flatMap((page) => {
    const lines = readPage(page)
      .replace(/^```(?:console|text|json|mermaid)\n.*?^```$/gms, (block) =>
        block.replace(/[^\n]+/g, ""),
      )
      .split("\n");
    return lines.flatMap((line, index) =>
      line.length > 100 && !/^\||^!?\[|^<!--/.test(line) ? [`${page}:${index + 1}`] : [],
    );
  });
  expect(long).toEqual([]);
});

test("the shell blocks of the documentation can be parsed", async () => {
  const blocks = documentation.flatMap((page) =>
    blocksOf(readPage(page)).flatMap(({ language, line, code }) =>
      language === "sh" ? [{ at: `${page}:${line}`, code }] : [],
    ),
  );
  expect(blocks.length).toBeGreaterThan(30);
  for (const { at, code } of blocks) {
    const { exitCode, stderr } = await $`sh -n < ${Buffer.from(code)}`.quiet().nothrow();
    expect(`${at}: ${stderr}${exitCode}`).toBe(`${at}: 0`);
  }
});

/**
 * The programs that a block starts in the container or the image of Redis: the first word behind
 * the container, or the image's entrypoint.
 */
function programsInRedis(code: string): string[] {
  const lines = code.replace(/\\\n\s*/g, " ");
  const executed = [...lines.matchAll(/docker exec (?:-\S+ )*"?\S+-redis"? +(\S+)/g)].map(
    ([, program = ""]) => program,
  );
  const started = [...lines.matchAll(/docker run [^\n|;]*?sett\/redis\b[^\n]*/g)].map(
    ([command]) => /--entrypoint[ =](\S+)/.exec(command)?.[1] ?? "redis-server",
  );
  return [...executed, ...started];
}

test("a page runs nothing in the container of Redis that the image of a release lacks: it has no tools", () => {
  const started = documentation.flatMap((page) =>
    blocksOf(readPage(page)).flatMap(({ line, code }) =>
      programsInRedis(code).map((program) => ({ at: `${page}:${line}`, program })),
    ),
  );
  expect(started.length).toBeGreaterThanOrEqual(1);
  expect(started.filter(({ program }) => !["redis-cli", "redis-server"].includes(program))).toEqual(
    [],
  );
});

test("every sett.yml of the documentation is without a mistake", () => {
  const yaml = documentation.flatMap((page) =>
    blocksOf(readPage(page)).flatMap(({ language, line, code }) => {
      const written = [...code.matchAll(/^cat > sett\.yml <<'END'\n(.*?)^END$/gms)].map(
        ([, text = ""]) => text,
      );
      const shown = language === "yaml" && code.includes("agents:") ? [code] : [];
      return [...written, ...shown].map((text) => ({ at: `${page}:${line}`, text }));
    }),
  );
  expect(yaml.length).toBeGreaterThan(10);
  const host = {
    SETT_HOOK_SECRET: "a-secret-of-16-or-more",
    ANTHROPIC_API_KEY: "sk-1",
    OPENAI_API_KEY: "sk-2",
    REGISTRY_TOKEN: "token",
    OPS_REDIS_PASSWORD: "a-password",
    ISSUES_TOKEN: "token",
    CI_TOKEN: "a-token-of-16-or-more",
    GITHUB_HOOK_SECRET: "a-secret-of-16-or-more",
  };
  for (const { at, text } of yaml) {
    const whole = text.includes("version:") ? text : `version: '1.0'\n${text}`;
    const { mistakes, missing } = parseConfig({ text: whole, file: at, folder: root, host });
    expect([...mistakes, ...missing]).toEqual([]);
  }
});

/** Each object of the code that has this key, from its brace to the one that closes it. */
function objectsWith(key: string, code: string): string[] {
  return [...code.matchAll(new RegExp(`\\b${key}\\b`, "g"))].map(({ index }) => {
    let [from, depth] = [index, 1];
    while (depth > 0 && from-- > 0)
      depth += Number(code[from] === "}") - Number(code[from] === "{");
    let to = index;
    for (depth = 1; depth > 0 && to < code.length; to++)
      depth += Number(code[to] === "{") - Number(code[to] === "}");
    return code.slice(Math.max(0, from), to);
  });
}

test("every agent of the documentation answers with the keys that the contract requires", () => {
  const answers = documentation.flatMap((page) =>
    blocksOf(readPage(page)).flatMap(({ line, code }) =>
      objectsWith("artefact_type", code).map((text) => ({ at: `${page}:${line}`, text })),
    ),
  );
  expect(answers.length).toBeGreaterThan(20);
  const lacks = (text: string) => !/\bartefact_payload\b/.test(text) || !/\bsummary\b/.test(text);
  expect(answers.filter(({ text }) => lacks(text))).toEqual([]);
});

/**
 * A node of a flowchart: its id, or its id and its shape. What is not quoted holds no sign that has
 * a meaning there.
 */
const plain = String.raw`[^\][(){}"|<>;#]+`;
const node = String.raw`\w+(?:\["[^"]*"\]|\[${plain}\]|\(\(${plain}\)\)|\(\[${plain}\]\)|\[\((?:"[^"]*"|${plain})\)\])?`;
const arrow = String.raw`(?:-->|---|-\.->)(?:\|(?:"[^"]*"|${plain})\|)?|<?-- (?:"[^"]*"|${plain}) -->`;

/**
 * The lines that a picture may have, by its first line: the part of Mermaid that is used here.
 */
const pictureLines: [RegExp, RegExp][] = [
  [
    /^flowchart (?:LR|TB)$/,
    new RegExp(
      `^(?:${node}(?: *(?:${arrow}) *${node})*|subgraph \\w+ ?\\[(?:"[^"]*"|${plain})\\]|end)$`,
    ),
  ],
  [
    /^sequenceDiagram$/,
    /^(?:participant \w+ as [^;#]+|\w+(?:->>|-->>)\w+: [^;#]+|Note over \w+(?:,\w+)?: [^;#]+|(?:alt|else|loop|opt) [^;#]+|end)$/,
  ],
  [/^stateDiagram-v2$/, /^(?:\w+|\[\*\]) --> (?:\w+|\[\*\])(?:: [^;#:]+)?$/],
];

test("every Mermaid picture is written in the part of the language that is checked here", () => {
  const pictures = pages.flatMap((page) =>
    blocksOf(readPage(page)).flatMap((block) =>
      block.language === "mermaid" ? [{ page, ...block }] : [],
    ),
  );
  expect(pictures.length).toBeGreaterThanOrEqual(5);
  const wrong = pictures.flatMap(({ page, line, code }) => {
    const [kind = "", ...lines] = code.trimEnd().split("\n");
    const [, grammar] = pictureLines.find(([first]) => first.test(kind)) ?? [];
    if (grammar === undefined) return [`${page}:${line}: no picture begins with ${kind}`];
    return lines.flatMap((text, index) =>
      grammar.test(text.trim()) ? [] : [`${page}:${line + 1 + index}: ${text.trim()}`],
    );
  });
  expect(wrong).toEqual([]);
});

/**
 * The program's words, by the first column of the tables of symptoms: the pieces between what
 * differs from case to case.
 */
function messagesOf(page: string): { at: string; piece: string }[] {
  return readPage(page)
    .split("\n")
    .flatMap((text, index) => {
      const [, symptom = ""] = /^\| (?!`git )(.*?) \| /.exec(text) ?? [];
      const quoted = [...symptom.matchAll(/(`+)(.*?)\1/g)].map(([, , words = ""]) => words);
      const pieces = quoted.flatMap((words) => words.split(/…|\b[A-Z]{2,}\b|"[^"]*"|`|\d+ s\b/));
      return pieces.map((piece) => ({ at: `${page}:${index + 1}`, piece: piece.trim() }));
    })
    .filter(
      ({ piece }) => piece.split(" ").filter((word) => /^[A-Za-z']+$/.test(word)).length >= 3,
    );
}

/**
 * At least so many words of a piece stand in a row in the source: its sentences are put together of
 * several parts.
 */
function isSaid(piece: string, source: string): boolean {
  const words = piece.split(" ");
  const least = Math.max(3, Math.floor(words.length * 0.4));
  const starts = words.keys().filter((start) => start + least <= words.length);
  return starts.some((start) => source.includes(words.slice(start, start + least).join(" ")));
}

test("what the page on troubleshooting quotes is said in the source", async () => {
  const files = await Array.fromAsync(new Glob("{apps,lib}/**/*.{ts,lua}").scan(root));
  const source = (await Promise.all(files.map((file) => Bun.file(join(root, file)).text())))
    .join("\n")
    .replaceAll("\\", "");
  const messages = messagesOf("docs/troubleshooting.md");
  expect(messages.length).toBeGreaterThan(20);
  expect(messages.filter(({ piece }) => !isSaid(piece, source))).toEqual([]);
});
