import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { runSett } from "../../support/cli/sett-process.ts";

let folder: string;
const sett = (...words: string[]) => runSett(words, { cwd: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-init-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("sett init", () => {
  test("writes a sett that is right, and says that agents need a repository", async () => {
    const { code, out, err } = await sett("init");
    expect(code).toBe(0);
    expect(out.split("\n")).toContain("sett.yml");
    expect(err).toContain("git init && git add");
    expect((await stat(join(folder, "agents/example-agent/run.sh"))).mode & 0o777).toBe(0o755);
    expect((await sett("validate")).code).toBe(0);
  });

  test("writes the schema that editors read, which `sett validate --schema` prints anywhere", async () => {
    const written = await readFile(join(folder, "sett.schema.json"), "utf8");
    const { code, out } = await runSett(["validate", "--schema"], { cwd: tmpdir() });
    expect({ code, out }).toEqual({ code: 0, out: written });
    expect(JSON.parse(written)).toMatchObject({ required: ["version", "agents"] });
  });

  test("writes nothing beside the work trees of a bare repository, where `up` does not send to it either", async () => {
    const layout = join(folder, "layout");
    const git = (...words: string[]) =>
      $`git -c user.name=Ada -c user.email=ada@sett.invalid ${words}`.cwd(layout).quiet();
    await $`git init --quiet --bare --initial-branch=main ${join(layout, ".bare")}`;
    await writeFile(join(layout, ".git"), "gitdir: ./.bare\n");
    const tree = (await git("mktree").text()).trim();
    const commit = (await git("commit-tree", "-m", "Begin", tree).text()).trim();
    await git("worktree", "add", "--quiet", "-b", "seedling", "seedling", commit);
    for (const words of [["init"], ["up"], ["up", "--yes"]]) {
      const { code, err } = await runSett(words, { cwd: layout });
      expect({ words, code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining("has no files of its own, but work trees: seedling."),
      });
    }
    expect((await readdir(layout)).sort()).toEqual([".bare", ".git", "seedling"]);
    await rm(layout, { recursive: true });
  });

  test("overwrites nothing, and names what is there", async () => {
    await writeFile(join(folder, "sett.yml"), "mine");
    await rm(join(folder, "agents/example-agent/Dockerfile"));
    const { code, err } = await sett("init");
    expect(code).toBe(2);
    expect(err).toContain("  sett.yml");
    expect(err).not.toContain("  agents/example-agent/Dockerfile");
    expect(err).toContain("--force");
    expect(await readFile(join(folder, "sett.yml"), "utf8")).toBe("mine");
    expect(await readdir(join(folder, "agents/example-agent"))).not.toContain("Dockerfile");
  });

  test("overwrites with --force, and in a repository it does not speak of git init", async () => {
    await $`git init --quiet`.cwd(folder);
    const { code, err } = await sett("init", "--force");
    expect(code).toBe(0);
    expect(err).not.toContain("git init");
    expect((await sett("validate")).code).toBe(0);
  });

  test("with --llm it writes two agents that ask a model, and says which key is missing", async () => {
    const other = await mkdtemp(join(tmpdir(), "sett-init-"));
    const key = { ANTHROPIC_API_KEY: "" };
    const { code, out, err } = await runSett(["init", "--llm"], { cwd: other, env: key });
    expect({ code, out: out.split("\n").filter((path) => path.endsWith("Dockerfile")) }).toEqual({
      code: 0,
      out: ["agents/llm-coder/Dockerfile", "agents/llm-reviewer/Dockerfile"],
    });
    expect(err).toContain("export ANTHROPIC_API_KEY=");
    expect(
      await runSett(["validate"], { cwd: other, env: { ANTHROPIC_API_KEY: "sk-1" } }),
    ).toMatchObject({
      code: 0,
      out: expect.stringContaining("2 agents (coder, reviewer)"),
    });
    const again = await runSett(["init", "--llm"], {
      cwd: other,
      env: { ANTHROPIC_API_KEY: "sk-1" },
    });
    expect(again).toMatchObject({
      code: 2,
      err: expect.stringContaining("sett init --llm --force"),
    });
    await rm(other, { recursive: true });
  });

  test("leaves nothing half-made where a file is in its way", async () => {
    const other = await mkdtemp(join(tmpdir(), "sett-init-"));
    await writeFile(join(other, "agents"), "a file, not a folder");
    const { code, err } = await runSett(["init"], { cwd: other });
    expect(code).toBe(1);
    expect(err).toContain("cannot be written");
    expect(await readdir(other)).toEqual(["agents"]);
    await rm(other, { recursive: true });
  });
});
