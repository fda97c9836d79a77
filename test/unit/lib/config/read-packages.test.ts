import { expect, test } from "bun:test";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockOf } from "../../../../lib/config/lock-findings.ts";
import { ownNames, ownPackages } from "../../../../lib/config/own-packages.ts";
import { checkConfig, readConfig } from "../../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../../lib/config/registrations.ts";
import { lockFile, lockText } from "../../../../lib/config/sett-lock.ts";
import { configFolder } from "../../../support/config/config-file.ts";

const models = `models:
  strong: { provider: anthropic, model: claude-sonnet-5, base_url: "http://localhost:1", price: { input: 1, output: 1 } }
  local: { provider: openai, model: m, base_url: "http://localhost:1", price: { input: 0, output: 0 } }
`;
const sett = (agents: string) => `version: '1.0'\n${models}agents:\n${agents}`;
const linter = `version: '1.0'
about: looks for lint
command: [/app/lint]
bids: [{ on: CodeCommit, bid: claim }]
`;
const folder = (agent: string) => ({
  "linter/agent.yml": agent,
  "linter/Dockerfile": "FROM sett/agent-base:latest\n",
});

async function check(agents: string, files: Record<string, string> = {}) {
  await using made = await configFolder({ "sett.yml": sett(agents), ...files });
  const { config, mistakes, warnings, unlocked } = await checkConfig(made.path, {});
  const said = (list: readonly { sentence: string }[]) =>
    list.map(({ sentence }) => sentence.replaceAll(made.folder, "."));
  return { config, mistakes: said(mistakes), warnings: said(warnings), unlocked: said(unlocked) };
}

test("one line takes a coding CLI: its command, its bids, and the right to commit", async () => {
  const { config, mistakes } = await check("  coder: { use: claude-code, model: strong }\n");
  expect(mistakes).toEqual([]);
  expect(config?.agents[0]).toMatchObject({
    ...{ name: "coder", role: "coder", model: "strong", timeout_ms: 30 * 60_000 },
    command: ["run-cli", "/app/claude-code.sh"],
    bids: [{ on: "GoalDefined", bid: "exclusive" }],
    workspace: { mode: "rw" },
    source: { kind: "package", name: "claude-code", args: {} },
    package: { use: "claude-code", digest: expect.stringMatching(/^sha256:/) },
  });
});

test("each package of Sett's own is valid beside a model and a variable", async () => {
  for (const use of ownNames) {
    const model = use === "codex" ? "local" : "strong";
    const needsModel = !["shell", "tester"].includes(use);
    const { mistakes } = await check(
      `  a: { use: ${use}${needsModel ? `, model: ${model}` : ""} }\n`,
    );
    expect([use, ...mistakes]).toEqual([use]);
  }
});

test("a key beside `use` replaces the package's, and of `workspace` and `prompts` each key alone", async () => {
  const { config } = await check(`  a:
    use: llm-coder
    model: local
    bids: [{ on: Plan, bid: claim }]
    workspace: { keep: true }
    prompts: { claim: Take plans. }
`);
  expect(config?.agents[0]).toMatchObject({
    bids: [{ on: "Plan", bid: "claim" }],
    workspace: { mode: "rw", keep: true },
    prompts: { claim: "Take plans.", execution: expect.stringContaining("software engineer") },
  });
});

test("arguments of a build go to the package's own build, and another image takes its place", async () => {
  const { config } = await check(
    `  a: { use: tester, build: { args: { A: b } } }
  b: { use: tester, image: "debian:bookworm-slim" }
  c: { use: ./linter, build: { args: { A: b } } }
`,
    folder(linter),
  );
  expect(config?.agents.map(({ source }) => source)).toMatchObject([
    { kind: "package", args: { A: "b" } },
    { kind: "image", image: "debian:bookworm-slim" },
    { kind: "build", context: expect.stringMatching(/\/linter$/), args: { A: "b" } },
  ]);
});

test("what grants rights is asked for, and never taken", async () => {
  const asking = `${linter}workspace: { mode: rw }
network: open
egress: [registry.example.org]
secrets: [token]
model: anthropic
`;
  const { mistakes } = await check("  a: { use: ./linter }\n", folder(asking));
  expect(mistakes).toEqual([
    'its package ./linter asks for what only this file can allow: to allow it write `workspace: { mode: rw }`, `network: open`, `egress: ["registry.example.org:443"]`, `secrets: ["token"]` beside `use`; other values refuse them',
    "its package asks for a model, whose calls cost money: to allow it write `model: strong` beside `use`",
  ]);
  const refused = await check(
    "  a: { use: ./linter, workspace: { mode: ro }, network: board, egress: [], secrets: [], model: strong }\n",
    folder(asking),
  );
  expect(refused.mistakes).toEqual([]);
  expect(refused.warnings).toContain(
    "its package asks for `egress` that this file does not give: registry.example.org:443",
  );
  expect(refused.config?.agents[0]).toMatchObject({
    ...{ workspace: { mode: "ro" }, network: "board", egress: [], secrets: [] },
  });
});

test("a package that wants no network gets none", async () => {
  const { config } = await check("  a: { use: ./linter }\n", folder(`${linter}network: none\n`));
  expect(config?.agents[0]?.network).toBe("none");
});

test("a model of the other API is refused, with what would do", async () => {
  const { mistakes } = await check("  a: { use: claude-code, model: local }\n");
  expect(mistakes).toEqual([
    "its package speaks the API of `provider: anthropic` alone, and its model `local` has `provider: openai`: name another model, or use `opencode`, which speaks both",
  ]);
});

test.each([
  ["claud-code", {}, "names no package: did you mean `claude-code`?"],
  ["nothing-like-it", {}, /^names no package: Sett has `claude-code`, .*A folder begins with/],
  ["./linter", {}, /which has no agent\.yml: a package is a folder with a Dockerfile/],
  [
    "./linter",
    { "linter/agent.yml": "lint" },
    /is none: \.\/linter\/agent\.yml:1:1: must be a map/,
  ],
  [
    "./linter",
    { "linter/agent.yml": `${linter}lint: 1\n` },
    /agent\.yml:5:1 lint: is unknown here/,
  ],
  [
    "./linter",
    folder(linter.replace("1.0", "2.0")),
    /agent\.yml:1:10 version: is `2\.0`, and this sett reads `1\.0`/,
  ],
  ["./linter", folder(`${linter}environment: { A: b }\n`), /environment: is unknown here/],
  ["./linter", folder(`${linter}workspace: { prepare: { command: [x] } }\n`), /prepare/],
  ["./linter", folder(`${linter}prompts: { execution: { file: ./x } }\n`), /must be texts/],
  ["./sett.yml", {}, /is no folder/],
  [
    "example.org/linter:1",
    {},
    /names an image that sett\.lock does not have: `sett add example\.org\/linter:1`/,
  ],
])("`use: %s` that cannot be used is one sentence", async (use, files, sentence) => {
  const { mistakes } = await check(`  a: { use: "${use}" }\n`, files as Record<string, string>);
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).toMatch(sentence);
});

test("an image is what sett.lock says that it is, and runs by its digest", async () => {
  const use = "example.org/linter:1";
  const digest = `sha256:${"a".repeat(64)}`;
  const locked = { digest, asks: {}, image: `example.org/linter@${digest}`, agent: linter };
  const lock = lockText(new Map([[use, locked]]));
  const { config, mistakes, unlocked } = await check(`  a: { use: "${use}" }\n`, {
    [lockFile]: lock,
  });
  expect([mistakes, unlocked]).toEqual([[], []]);
  expect(config?.agents[0]).toMatchObject({
    command: ["/app/lint"],
    source: { kind: "image", image: `example.org/linter@${digest}` },
    package: { use, digest },
  });
  // A person who edits the lock alone gets no right by it.
  const asking = lockText(new Map([[use, { ...locked, agent: `${linter}egress: ["*"]\n` }]]));
  const edited = await check(`  a: { use: "${use}" }\n`, { [lockFile]: asking });
  expect(edited.mistakes.join()).toContain('egress: ["*:443"]');
});

test("sett.lock has what each package is, says what has changed, and forgets what is used no more", async () => {
  await using made = await configFolder({
    "sett.yml": sett("  a: { use: ./linter }\n  b: { use: tester }\n"),
    ...folder(linter),
  });
  const sentences = async () =>
    (await checkConfig(made.path, {})).unlocked.map(({ sentence }) => sentence);
  const write = async () =>
    await writeFile(
      join(made.folder, lockFile),
      lockText(lockOf((await checkConfig(made.path, {})).packages)),
    );
  expect(await sentences()).toEqual(["is not in sett.lock yet", "is not in sett.lock yet"]);
  await write();
  expect(await sentences()).toEqual([]);
  const changed = "has changed since sett.lock was written";
  const dockerfile = join(made.folder, "linter/Dockerfile");
  await chmod(dockerfile, 0o755);
  expect(await sentences()).toEqual([changed]);
  await chmod(dockerfile, 0o644);
  expect(await sentences()).toEqual([]);
  await writeFile(join(made.folder, "linter/agent.yml"), `${linter}egress: [example.org]\n`);
  expect(await sentences()).toEqual([`${changed}, and asks for \`egress: ["example.org:443"]\``]);
  await writeFile(made.path, sett("  b: { use: tester }\n"));
  await write();
  expect(await Bun.file(join(made.folder, lockFile)).text()).not.toContain("linter");
  await writeFile(join(made.folder, lockFile), "version: 7\n");
  expect((await checkConfig(made.path, {})).mistakes.map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining("sett.lock is not what sett has written"),
  ]);
});

test("the digest of a package is in the registration, and a copy of one of Sett's own has the same", async () => {
  const files = ownPackages.get("tester") ?? [];
  await using made = await configFolder({
    "sett.yml": sett("  a: { use: ./copy }\n  b: { use: tester }\n"),
    ...Object.fromEntries(files.map(({ path, content }) => [`copy/${path}`, content])),
  });
  for (const { path, mode } of files) await chmod(join(made.folder, "copy", path), mode);
  const { config } = await readConfig(made.path, {});
  const [a, b] = registrationsOf(config, new Map());
  expect(a?.package?.use).toBe("./copy");
  expect(a?.package?.digest).toBe(b?.package?.digest);
});

test("a package that only a model can do is asked for its line, though the file has one model", async () => {
  const prompted = `version: '1.0'
about: thinks
prompts: { execution: Do it. }
bids: [{ on: Plan, bid: claim }]
`;
  await using made = await configFolder({
    "sett.yml": sett("  a: { use: ./linter }\n").replace(/ {2}local: .*\n/, ""),
    ...folder(prompted),
  });
  const { mistakes } = await checkConfig(made.path, {});
  expect(mistakes.map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining("to allow it write `model: strong` beside `use`"),
  ]);
});

test("what a link of a package leads to is a part of its digest", async () => {
  await using made = await configFolder({
    "sett.yml": sett("  a: { use: ./linter }\n"),
    "linter/agent.yml": linter,
    "shared/Dockerfile": "FROM sett/agent-base:latest\n",
  });
  await symlink("../shared/Dockerfile", join(made.folder, "linter/Dockerfile"));
  const digest = async () => (await readConfig(made.path, {})).config.agents[0]?.package?.digest;
  const before = await digest();
  await writeFile(join(made.folder, "shared/Dockerfile"), "FROM sett/agent-base:latest\nUSER 0\n");
  expect(await digest()).not.toBe(before);
});

test("a package beside its sett.yml has the same digest after a commit, and after sett.lock", async () => {
  const files = folder(linter);
  await using made = await configFolder({
    "sett.yml": sett("  a: { use: ./ }\n"),
    "agent.yml": linter,
    Dockerfile: files["linter/Dockerfile"],
  });
  const { packages } = await readConfig(made.path, {});
  await writeFile(join(made.folder, lockFile), lockText(lockOf(packages)));
  await mkdir(join(made.folder, ".git"));
  await writeFile(join(made.folder, ".git/index"), "x");
  expect((await readConfig(made.path, {})).unlocked).toEqual([]);
});

test.each(["agent.yml", lockFile])(
  "%s that is no file is refused without an end of it",
  async (name) => {
    await using made = await configFolder({
      "sett.yml": sett("  a: { use: ./linter }\n"),
      ...folder(linter),
    });
    const path = join(made.folder, name === lockFile ? lockFile : `linter/${name}`);
    await rm(path, { force: true });
    await symlink("/dev/zero", path);
    const { mistakes } = await checkConfig(made.path, {});
    expect(mistakes.map(({ sentence }) => sentence)).toEqual([expect.stringContaining("no file")]);
  },
);

test.each([
  ["an alias of nothing", "version: '1.0'\npackages: *none\n"],
  ["aliases of aliases", aliases()],
])("a sett.lock with %s is refused with a sentence", async (_what, text) => {
  const { mistakes } = await check("  a: { use: ./linter }\n", {
    ...folder(linter),
    [lockFile]: text,
  });
  expect(mistakes).toEqual([expect.stringContaining("take it from git, or remove it")]);
});

test("what sett.lock has of a package stays there while the package cannot be read", async () => {
  await using made = await configFolder({
    "sett.yml": sett("  a: { use: ./linter }\n"),
    ...folder(linter),
  });
  const whole = lockText(lockOf((await readConfig(made.path, {})).packages));
  await writeFile(join(made.folder, lockFile), whole);
  await writeFile(join(made.folder, "linter/agent.yml"), "about: [\n");
  expect(lockText(lockOf((await checkConfig(made.path, {})).packages))).toBe(whole);
});

function aliases(): string {
  const line = (level: number) =>
    `a${level}: &a${level} [${
      level === 0
        ? "x"
        : Array(9)
            .fill(`*a${level - 1}`)
            .join(",")
    }]\n`;
  return Array.from({ length: 12 }, (_, level) => line(level)).join("");
}
