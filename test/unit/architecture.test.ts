// House rules that can be checked (ARCHITECTURE.md#the-rooms): who may import whom, and what no
// source may contain.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";
import { Provider } from "../../lib/model/config-models.ts";
import { CostlyApi } from "../../lib/model/model-call.ts";
import { Forge, ReviewingForge, triggerKinds } from "../../lib/model/trigger.ts";
import { root } from "../support/root.ts";
import { languageRules } from "./language-rules.ts";

const sources = [...new Glob("{apps,lib}/**/*.{ts,tsx}").scanSync(root)].filter(
  (file) => !file.endsWith(".d.ts"),
);

/**
 * Folder → the packages and `lib` folders it may use, beside itself, `lib/model` and `node:`
 * built-ins.
 */
const allowed: Record<string, { packages: string[]; rooms: string[] }> = {
  "lib/model": { packages: ["zod"], rooms: [] },
  "lib/core": { packages: [], rooms: [] },
  "lib/replay": { packages: [], rooms: ["core"] },
  "lib/proof": { packages: [], rooms: [] },
  "lib/words": { packages: [], rooms: ["core"] },
  "lib/api": { packages: ["@hono", "zod"], rooms: [] },
  "lib/blackboard": { packages: ["redis", "zod"], rooms: ["async"] },
  "lib/runtime": {
    packages: ["dockerode", "tar-fs", "yaml", "zod"],
    rooms: ["async", "dockerfile", "folders", "process"],
  },
  "lib/dockerfile": { packages: [], rooms: [] },
  "lib/folders": { packages: [], rooms: [] },
  "lib/process": { packages: [], rooms: [] },
  "lib/drawing": { packages: ["@viz-js"], rooms: ["process"] },
  "lib/git": { packages: [], rooms: ["core", "folders", "process"] },
  "lib/config": {
    packages: ["jsonc-parser", "yaml", "zod"],
    rooms: ["core", "dockerfile", "models", "proof", "triggers"],
  },
  "lib/triggers": { packages: ["croner", "zod"], rooms: ["core"] },
  "lib/forge": { packages: ["@octokit", "zod"], rooms: ["core", "triggers"] },
  "lib/async": { packages: [], rooms: [] },
  "lib/service": { packages: ["hono", "prom-client", "zod"], rooms: ["async"] },
  "lib/reach": {
    packages: ["@peculiar", "zod"],
    rooms: ["async", "service"],
  },
  "lib/telemetry": {
    packages: ["@opentelemetry", "prom-client", "zod"],
    rooms: ["core", "blackboard", "async", "service"],
  },
  "lib/models": { packages: ["zod"], rooms: ["core"] },
  "lib/mcp": { packages: ["@modelcontextprotocol", "zod"], rooms: ["client", "blackboard"] },
  "lib/logs": { packages: ["hono", "zod"], rooms: ["async", "runtime"] },
  "lib/client": {
    packages: ["eventsource-parser", "get-east-asian-width", "zod"],
    rooms: ["core", "words", "proof", "blackboard", "config", "git", "models", "async"],
  },
  "apps/cli": {
    packages: ["citty", "consola", "zod", "@modelcontextprotocol"],
    rooms: [
      ...[
        "core",
        "replay",
        "proof",
        "words",
        "blackboard",
        "client",
        "mcp",
        "runtime",
        "logs",
        "git",
        "config",
        "dockerfile",
        "models",
        "async",
        "service",
        "process",
      ],
      ...["reach", "telemetry", "drawing"],
    ],
  },
  "apps/orchestrator": {
    packages: ["hono", "zod"],
    rooms: ["core", "blackboard", "proof", "runtime", "logs", "async", "service", "reach"],
  },
  "apps/cub": {
    packages: ["ai", "@ai-sdk", "hono", "zod"],
    rooms: [
      ...["core", "blackboard", "models", "async", "service", "reach"],
      ...["process", "folders", "git"],
    ],
  },
  "apps/gateway": {
    packages: ["@modelcontextprotocol", "hono", "zod"],
    rooms: ["blackboard", "models", "async", "service", "reach", "git"],
  },
  "apps/api": {
    packages: ["@hono", "@modelcontextprotocol", "hono", "jose", "zod"],
    rooms: [
      "api",
      "core",
      "blackboard",
      "client",
      "mcp",
      "runtime",
      "logs",
      "git",
      "models",
      "async",
      "drawing",
      "process",
      "service",
      "reach",
      "telemetry",
      "triggers",
      "forge",
    ],
  },
  "apps/page": {
    packages: [
      "@xyflow",
      "eventsource-parser",
      "react",
      "react-diff-view",
      "react-dom",
      "refractor",
    ],
    rooms: ["api", "core", "words"],
  },
};
/** `prom-client` types reach the apps through their metrics. */
for (const app of ["apps/orchestrator", "apps/cub", "apps/gateway", "apps/api"])
  allowed[app]?.packages.push("prom-client");

/** The binary is compiled from this file: it starts one of the programs, and does nothing else. */
allowed["apps/main.ts"] = { packages: [], rooms: [] };
const mains = /^apps\/[a-z]+\/main\.ts$/;

function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/** The source without its comments. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
}

function importsOf(file: string): string[] {
  const specifiers = /^(?:import|export)\b[^"';=(]*"([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...codeOf(file).matchAll(specifiers)].flatMap(([, fixed, lazy]) => fixed ?? lazy ?? []);
}

test("every import follows the arrows between the rooms", () => {
  const wrong = sources.flatMap((file) => {
    const room = roomOf(file);
    const rules = allowed[room];
    if (rules === undefined) return [`${file}: ${room} is not a room of the house`];
    return importsOf(file).flatMap((specifier) => {
      if (specifier.startsWith("node:") || (specifier.startsWith("bun:") && mayUseBun.test(file)))
        return [];
      if (!specifier.startsWith(".")) {
        const name = specifier.split("/")[0] ?? specifier;
        return rules.packages.includes(name) ? [] : [`${file} imports the package ${specifier}`];
      }
      const target = relative(root, join(root, dirname(file), specifier));
      // What is not code has no arrows: the version, the files that `sett init` writes.
      if (
        !/^(?:apps|lib)\//.test(target) ||
        roomOf(target) === room ||
        roomOf(target) === "lib/model"
      )
        return [];
      const isAllowed =
        rules.rooms.some((name) => roomOf(target) === `lib/${name}`) ||
        (file === "apps/main.ts" && mains.test(target));
      return isAllowed ? [] : [`${file} imports ${target}`];
    });
  });
  expect(wrong).toEqual([]);
});

test("no file imports itself by way of others", () => {
  const files = new Map(sources.map((file) => [file, filesImportedBy(file)]));
  expect(circlesIn(files)).toEqual([]);
});

test("a circle is found, and a file that only leads to one is none", () => {
  const files = { a: ["b"], b: ["c", "d"], c: ["b"], d: [], e: ["e"] };
  expect(circlesIn(new Map(Object.entries(files)))).toEqual(["b → c → b", "e → e"]);
});

function filesImportedBy(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => relative(root, join(root, dirname(file), specifier)));
}

/** One circle for each import that leads back to a file on the way to it. */
function circlesIn(files: ReadonlyMap<string, readonly string[]>): string[] {
  const known = new Set<string>();
  const path: string[] = [];
  const circles: string[] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at !== -1) circles.push([...path.slice(at), file].join(" → "));
    if (at !== -1 || known.has(file)) return;
    path.push(file);
    for (const other of files.get(file) ?? []) visit(other);
    path.pop();
    known.add(file);
  };
  for (const file of files.keys()) visit(file);
  return circles;
}

test("the table of the rooms in ARCHITECTURE.md says what each may import", () => {
  const rows = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").matchAll(
    /^\| `((?:lib|apps)\/\w+)` \|.*\| ([^|]+) \|$/gm,
  );
  const table = [...rows].map(([, room = "", names = ""]) => [
    room,
    names === "–" ? [] : names.split(", ").toSorted(),
  ]);
  const rooms = Object.entries(allowed).filter(([room]) => room !== "apps/main.ts");
  const rules = rooms.map(([room, { packages, rooms: used }]) => [
    room,
    [...used, ...packages].toSorted(),
  ]);
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(rules));
});

/**
 * The rooms within a hall, from the bottom up: each knows those below it, and none above. A file
 * beside them is the way in, which knows all.
 */
const roomsWithin: Record<string, string> = {
  "apps/cli":
    "terminal program facts render archive services instance audit additions doctor logs prune people erase goals ui up examine backup eval commands",
  "apps/orchestrator": "leader decide claims deadlines log mail workers notify recorder notary",
  "apps/cub": "container secrets tool program bid work examine prompt-worker lane",
  "lib/blackboard": "port records mail redis",
  "lib/git": "run exchange publish packs copy repository",
};

for (const [hall, rooms] of Object.entries(roomsWithin)) {
  test(`in ${hall} every room knows only those below it`, () => {
    const roomOfFile = (file: string) => file.slice(hall.length + 1).split("/")[0] ?? "";
    const levelOf = (file: string) => rooms.split(" ").indexOf(roomOfFile(file));
    const inRooms = sources.filter(
      (file) => file.startsWith(`${hall}/`) && file.split("/").length > hall.split("/").length + 1,
    );
    expect(inRooms.filter((file) => levelOf(file) === -1)).toEqual([]);
    const wrong = inRooms.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => relative(root, join(root, dirname(file), specifier)))
        .filter((target) => target.startsWith(`${hall}/`))
        .filter((target) => levelOf(target) === -1 || levelOf(target) > levelOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });
}

/**
 * The files that choose an implementation of store and exchange, each with those among which it
 * chooses, and the program that serves packs.
 */
const choosers: Record<string, string[]> = {
  "lib/git/repository/host-repository.ts": [
    "lib/git/exchange/host-folders.ts",
    "lib/git/packs/host-packs.ts",
    "lib/git/packs/packs-client.ts",
    "lib/git/packs/served-repository.ts",
  ],
  "apps/cub/tool/working-copy-of.ts": [
    "lib/git/publish/agent-folders.ts",
    "lib/git/packs/agent-packs.ts",
  ],
  "apps/gateway/packs/run-packs.ts": [
    "lib/git/packs/pack-service.ts",
    "lib/git/packs/serve-packs.ts",
  ],
};

test("store and exchange of git are known by their port, and their folders to nothing else", () => {
  const inside = /^lib\/git\/(?:exchange|publish|packs)\//;
  const others = sources.filter((file) => !inside.test(file));
  const wrong = others.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => relative(root, join(root, dirname(file), specifier)))
      .filter((target) => inside.test(target) && target !== "lib/git/exchange/port.ts")
      .filter((target) => choosers[file]?.includes(target) !== true)
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
  // A variable tells the cub its folders, which have a default.
  const withPaths = others.filter((file) =>
    /sett\/(?:objects|exchange)|\/git\/(?:objects|exchange)\b(?!\/)/.test(codeOf(file)),
  );
  expect(withPaths.filter((file) => file !== "apps/cub/settings.ts")).toEqual([]);
});

test("what the command line shows is made of facts alone: no file, no process, no blackboard", () => {
  const wrong = sources.filter(
    (file) =>
      /^(?:apps\/cli\/render|lib\/client\/(?:text|render))\//.test(file) &&
      (/\b(?:process\.|fetch\(|setTimeout)/.test(codeOf(file)) ||
        importsOf(file).some((name) => /^node:(?!buffer)/.test(name))),
  );
  expect(wrong).toEqual([]);
});

test("a program has only its own part of the blackboard's port, and asks for no other's", () => {
  const holders: Record<string, string> = {
    cub: "Agent",
    orchestrator: "Leader",
    cli: "Person",
    gateway: "Gateway",
    api: "Person",
  };
  // Who does not lead yet has no epoch.
  const isCandidate = (file: string) => file === "apps/orchestrator/orchestrator.ts";
  // The same program in another mode, as another user of Redis.
  const isNotary = (file: string) => file.startsWith("apps/orchestrator/notary/");
  const wrong = Object.entries(holders).flatMap(([app, own]) =>
    sources
      .filter((file) => file.startsWith(`apps/${app}/`))
      .flatMap((file) =>
        [...codeOf(file).matchAll(/\b([A-Z][a-z]*)?Blackboard\b/g)].map(([word, holder]) => ({
          file,
          word,
          holder,
        })),
      )
      .filter(
        ({ file, holder }) =>
          holder !== own &&
          !(holder === "Candidate" && isCandidate(file)) &&
          !(holder === "Notary" && isNotary(file)),
      )
      .map(({ file, word }) => `${file} has ${word}, and ${app} has ${own}Blackboard`),
  );
  expect(wrong).toEqual([]);
});

test("the pure core knows no clock, no chance and no I/O", () => {
  const impure =
    /\b(?:Date\.now|new Date\(\)|Math\.random|randomUUID|process\.|fetch\(|setTimeout|node:)/;
  expect(
    sources.filter((file) => file.startsWith("lib/core/") && impure.test(codeOf(file))),
  ).toEqual([]);
});

/**
 * The services' ports to the runtime, each with what does the same elsewhere, and what only a
 * compiled program has.
 */
const mayUseBun =
  /^(?:lib\/(?:folders\/(?:access-list|list-folder)|service\/(?:serve|addresses-of)|process\/(?:bid-mark|open-pipe|process-one|reap|shared-memory))|apps\/cli\/program\/embedded-file|lib\/runtime\/process\/attend|apps\/api\/carried-page)\.ts$/;

test("only the ports to the runtime use what only Bun has", () => {
  const banned = /\bBun\.|"bun(?::\w+)?"/;
  expect(sources.filter((file) => !mayUseBun.test(file) && banned.test(codeOf(file)))).toEqual([]);
});

/**
 * Sets that grow by one file each: the object in `place` has everything in which a name differs,
 * the file of the folder's name lists them, and `schema` names them on record.
 */
const openSets = [
  { names: CostlyApi.options, place: "lib/models/apis", schema: "lib/model/model-call.ts" },
  { names: Provider.options, place: "lib/models/providers", schema: "lib/model/config-models.ts" },
  { names: triggerKinds, place: "lib/triggers/kinds", schema: "lib/model/trigger.ts" },
  { names: ReviewingForge.options, place: "lib/forge/kinds", schema: "lib/model/trigger.ts" },
  { names: Forge.options, place: "lib/triggers/forges", schema: "lib/model/trigger.ts" },
];
const ordinary = ["messages", "chat", "responses", "cron", "tag"];

test("no other file knows a name of an open set: all fold over its list", () => {
  const isObject = (file: string) => openSets.some(({ place }) => file.startsWith(`${place}/`));
  const wrong = openSets.flatMap(({ names, place, schema }) => {
    const others = sources.filter(
      (file) => !isObject(file) && ![`${place}.ts`, schema].includes(file),
    );
    return others.flatMap((file) =>
      names.filter((name) => knows(codeOf(file), name)).map((name) => `${file} knows \`${name}\``),
    );
  });
  expect(wrong).toEqual([]);
});

/** A usual word of the code is of the set where something is compared with it. */
function knows(code: string, name: string): boolean {
  const text = `"${name}"`;
  if (!ordinary.includes(name)) return code.includes(text);
  return new RegExp(
    `[=!]==?\\s*${text}|${text}\\s*[=!]==?|\\bcase ${text}|literal\\(${text}\\)`,
  ).test(code);
}

test("each file of an open set is in its list, under a name that the schema has", () => {
  for (const { names, place } of openSets) {
    const files = sources.filter((file) => file.startsWith(`${place}/`));
    const listed = importsOf(`${place}.ts`).map((name) => join(dirname(place), name));
    expect(files.filter((file) => !listed.includes(file))).toEqual([]);
    expect(files).toHaveLength(names.length);
  }
});

test("only the programs' own main.ts read the environment", () => {
  const wrong = sources.filter(
    (file) => !/^apps\/[a-z]+\/main\.ts$/.test(file) && /\bprocess\.env\b/.test(codeOf(file)),
  );
  expect(wrong).toEqual([]);
});

test("one word for one thing: artefact, except in the fixed Redis key segment", () => {
  const wrong = sources.filter(
    (file) =>
      file !== "lib/blackboard/records/keys.ts" &&
      /\bartifacts?\b(?!:)/i.test(readFileSync(join(root, file), "utf8").replace(/artifact:/g, "")),
  );
  expect(wrong).toEqual([]);
});

/**
 * The repository's text files, new ones included, but for what others wrote and the rules
 * themselves.
 */
function textFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const others = /^(?:LICENSE|bun\.lock|test\/unit\/language-rules\.ts)$/;
  return listed
    .split("\n")
    .filter((file) => file !== "" && !others.test(file) && existsSync(join(root, file)));
}

test("a line of a comment has at most 100 columns, and so has every line of Lua", () => {
  const isComment = (line: string) => /^\s*(?:\/\/|\/?\*{1,2}\s)/.test(line);
  const cannotBreak = /biome-ignore|^\s*\* \||[─│]/;
  const long = textFiles()
    .filter((file) => /\.(?:tsx?|mjs|lua)$/.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line, at) =>
          line.length > 100 && (file.endsWith(".lua") || isComment(line)) && !cannotBreak.test(line)
            ? [`${file}:${at + 1}: break this line`]
            : [],
        ),
    );
  expect(long).toEqual([]);
});

/** The same lines with blanks in place of comments and strings: what is left are names. */
function namesOnly(source: string, file: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  const comments = file.endsWith(".lua") ? /--.*$/gm : /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
  return source.replace(comments, blank).replace(/"(?:[^"\\\n]|\\.)*"/g, blank);
}

test("replaced words do not come back, in names, comments, messages, pages, tests and scripts", () => {
  const found = textFiles().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const names = /\.(?:tsx?|mjs|lua)$/.test(file) ? namesOnly(text, file) : "";
    return languageRules.flatMap(({ where, pattern, instead }) => {
      if (where === "paths") return pattern.test(file) ? [`${file} → ${instead}`] : [];
      const searched = where === "text" ? text : names;
      if (!pattern.test(searched)) return [];
      return searched.split("\n").flatMap((line, at) => {
        const [words] = pattern.exec(line) ?? [];
        return words === undefined ? [] : [`${file}:${at + 1}: \`${words}\` → ${instead}`];
      });
    });
  });
  expect(found).toEqual([]);
});

test("each rule of the language finds its example, and names are looked for outside of comments and strings", () => {
  expect(languageRules.filter(({ pattern, example }) => !pattern.test(example))).toEqual([]);
  expect(namesOnly('const one = "two"; // three', "a.ts").trim()).toBe("const one =      ;");
  expect(namesOnly("local one = 1 -- two", "a.lua").trim()).toBe("local one = 1");
});
