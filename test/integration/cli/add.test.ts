import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { runCommand } from "../../../apps/cli/run-command.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { nightly } from "../../support/nightly.ts";

let folder: string;
const keys = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
const env = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" };
const sett = (...words: string[]) => runSett(words, { cwd: folder, env });
const validate = () => runSett(["validate"], { cwd: folder, env: keys });
const read = (path: string) => readFile(join(folder, path), "utf8");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-add-"));
  await $`git init --quiet`.cwd(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("one command makes a valid sett with a coding CLI in an empty repository", async () => {
  const made = await sett("init", "--agent", "claude-code");
  expect(made).toMatchObject({ code: 0, out: "sett.yml\nsett.schema.json\nsett.lock\n" });
  expect(made.err).toContain("export ANTHROPIC_API_KEY=…");
  const valid = await validate();
  expect(valid).toMatchObject({ code: 0, out: "sett.yml is valid: 1 agent (claude-code).\n" });
  expect(valid.err).not.toContain("sett.lock");
  const again = await sett("init", "--agent", "codex");
  expect(again.err).toContain("sett init --agent codex --force");
});

nightly("a name that no package has is answered with the one that was meant", async () => {
  const { code, err } = await sett("init", "--agent", "claud-code");
  expect(code).toBe(2);
  expect(err).toContain("claud-code names no package: did you mean `claude-code`?\n");
  expect(await stat(join(folder, "sett.yml")).catch(() => undefined)).toBeUndefined();
});

test("without a sett.yml it says how to begin", async () => {
  const { code, err } = await sett("add", "codex");
  expect([code, err]).toEqual([2, expect.stringContaining("sett init --agent codex")]);
});

test("an agent is shown before it is written, beside what is there, with what it asks for", async () => {
  await sett("init");
  const before = await read("sett.yml");
  const { code, err } = await sett("add", "codex", "--as", "second");
  expect(code).toBe(0);
  for (const part of [
    "Codex, unchanged",
    "It asks for `workspace: { mode: rw }`.",
    "+   second:\n+     use: codex\n+     model: strong\n+     workspace: { mode: rw }\n",
    "export OPENAI_API_KEY=…",
  ])
    expect(err).toContain(part);
  const after = await read("sett.yml");
  const kept = before.split("\n").filter((line) => !after.split("\n").includes(line));
  expect(kept).toEqual([]);
  expect((await validate()).out).toContain("2 agents (example-agent, second)");
  expect(await read("sett.lock")).toMatch(/codex:\n {4}digest: sha256:[0-9a-f]{64}\n {4}asks:/);
  expect((await sett("add", "codex", "--as", "second")).err).toContain(
    "There is an agent second already",
  );
  expect((await sett("add", "codex", "--as", "third", "--model", "x")).err).toContain(
    "There is no model x in sett.yml.\n  → It has strong.",
  );
});

nightly("a copy is a package of the repository's own, which can be changed", async () => {
  await sett("init", "--agent", "claude-code");
  const { code } = await sett("add", "tester", "--copy");
  expect(code).toBe(0);
  expect((await stat(join(folder, "agents/tester/run.sh"))).mode & 0o111).toBe(0o111);
  expect(await read("sett.yml")).toContain("use: ./agents/tester\n");
  await writeFile(
    join(folder, "agents/tester/agent.yml"),
    `${await read("agents/tester/agent.yml")}egress: [registry.example.org]\n`,
  );
  const refused = await validate();
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("has changed since sett.lock was written");
  expect(refused.err).toContain('to allow it write `egress: ["registry.example.org:443"]`');
  const other = await sett("add", "tester", "--copy", "--as", "other");
  // The file has a mistake already: nothing is added to it.
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("has a mistake")]);
  expect(await stat(join(folder, "agents/other")).catch(() => undefined)).toBeUndefined();
});

test("the list has what each package is, for people and for programs", async () => {
  expect((await sett("add", "--list")).out).toMatch(/^claude-code +Anthropic +Claude Code/m);
  const rows = (await sett("add", "--list", "--json")).out.trim().split("\n");
  expect(rows.map((row) => JSON.parse(row).name)).toContain("opencode");
});

nightly("what a sett.yml is stays: its rights, and the link that leads to it", async () => {
  await sett("init");
  await mkdir(join(folder, "shared"));
  await $`mv sett.yml shared/real.yml`.cwd(folder);
  await chmod(join(folder, "shared/real.yml"), 0o600);
  await symlink("shared/real.yml", join(folder, "sett.yml"));
  expect((await sett("add", "shell")).code).toBe(0);
  expect((await lstat(join(folder, "sett.yml"))).isSymbolicLink()).toBe(true);
  expect((await stat(join(folder, "shared/real.yml"))).mode & 0o777).toBe(0o600);
  expect(await read("shared/real.yml")).toContain("use: shell");
});

nightly("a file that is no UTF-8 is refused, and keeps its bytes", async () => {
  await sett("init");
  const bytes = Buffer.concat([
    await readFile(join(folder, "sett.yml")),
    Buffer.from("# \xe9\n", "latin1"),
  ]);
  await writeFile(join(folder, "sett.yml"), bytes);
  const { code, err } = await sett("add", "shell");
  expect([code, err]).toEqual([2, expect.stringContaining("sett.yml is not UTF-8 text")]);
  expect(await readFile(join(folder, "sett.yml"))).toEqual(bytes);
});

nightly("a path that YAML would read as something else is no other package", async () => {
  await sett("init");
  const agent = "version: '1.0'\nabout: x\ncommand: [x]\nbids: [{ on: Plan, bid: claim }]\n";
  for (const name of ["linter", "linter #2"]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "agent.yml"), agent);
    await writeFile(join(folder, name, "Dockerfile"), "FROM sett/agent-base:latest\n");
  }
  const { code, err } = await sett("add", "./linter #2", "--as", "linter");
  expect([code, err]).toEqual([2, expect.stringContaining("must be the name of a package")]);
  expect(await read("sett.yml")).not.toContain("linter");
});

nightly("what a person writes into the file while the change is shown stays", async () => {
  await sett("init");
  const shell = { ...fakeShell(), cwd: folder };
  const { write } = shell.err;
  shell.err.write = async (text) => {
    if (text.includes("use: ./agents/shell"))
      await appendFile(join(folder, "sett.yml"), "# of mine\n");
    await write(text);
  };
  expect(await runCommand(["add", "shell", "--copy"], shell)).toBe(2);
  expect(shell.written.err).toContain("sett.yml has changed meanwhile, so nothing was written.");
  expect(await read("sett.yml")).toEndWith("# of mine\n");
  expect(await stat(join(folder, "agents/shell")).catch(() => undefined)).toBeUndefined();
});
