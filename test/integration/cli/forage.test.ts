// How a person posts a goal.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { Artefact } from "../../../lib/model/artefact.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

async function goalOf(id: string): Promise<Artefact> {
  return Artefact.parse(JSON.parse(await at.need("unearth", id, "--json")));
}

describe("sett forage", () => {
  test("overlooks what prune has left in the repository, and nothing else that is not committed", async () => {
    await using own = await Workspace.create();
    await own.need("forage", "--goal", "Paint the door");
    await writeFile(join(own.folder, "sett-demo-20261122T094500Z.jsonl"), "{}\n");
    await own.need("forage", "--goal", "Paint the house");
    await writeFile(join(own.folder, "sett-demo.jsonl"), "{}\n");
    const { code, err } = await own.sett("forage", "--goal", "Paint the fence");
    expect(code).toBe(1);
    expect(err).toContain("which agents would not see:\n  ?? sett-demo.jsonl\n");
  });

  test("names the submodules of which the repository has nothing, and posts the goal all the same", async () => {
    await using own = await Workspace.create();
    await own.git("config", "--file", ".gitmodules", "submodule.door.path", "lib/door");
    await own.git("config", "--file", ".gitmodules", "submodule.door.url", "../door");
    await mkdir(join(own.folder, "lib/door"), { recursive: true });
    await own.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib/door`);
    await own.git("add", ".gitmodules");
    await own.git("commit", "--quiet", "--message=With a door");
    const { code, out, err } = await own.sett("forage", "--goal", "Paint the door");
    expect([code, out]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    expect(err.replaceAll(/\s+/g, " ")).toContain(
      "A submodule is an empty folder for agents: lib/door (this repository has no clone of it).",
    );
    expect(err).toContain("git submodule update --init --recursive");
  });

  test("prints the goal's id and nothing else on stdout; the goal is as the design has it", async () => {
    const { code, out, err } = await at.sett("forage", "--goal", "Paint the door\n\nGreen.");
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(err).toContain(`sett watch --goal ${out.slice(0, 8)}`);
    const id = out.trim();
    expect(await goalOf(id)).toMatchObject({
      id,
      logical_id: id,
      goal_id: id,
      version: 1,
      structural_type: "Standard",
      type: "GoalDefined",
      payload: "Paint the door\n\nGreen.",
      source_artefacts: [],
      produced_by_role: "user",
      metadata: { summary: "Paint the door", commit: await at.git("rev-parse", "HEAD") },
    });
    const events = await at.need("watch", "--no-follow", "-o", "jsonl", "--goal", id);
    expect(JSON.parse(events)).toMatchObject({
      type: "artefact_created",
      actor: "person:Ada Lovelace <ada@sett.invalid>",
    });
  });

  test("pins the commit that the goal starts from, and records the last tag", async () => {
    await at.git("tag", "v1.0.0");
    const tagged = await at.git("rev-parse", "HEAD");
    const head = await at.commit("door.txt", "green\n");
    const { id, commit } = JSON.parse(await at.need("forage", "--json", "--goal", "Release"));
    expect(commit).toBe(head);
    expect(await at.git("rev-parse", `refs/sett/demo/${id}`)).toBe(head);
    expect((await goalOf(id)).metadata).toMatchObject({
      last_tag: "v1.0.0",
      last_tag_commit: tagged,
    });
  });

  test("takes a goal from stdin as it is", async () => {
    const text = "Große Tür\n“quoted”\n";
    const surroundings = { cwd: at.folder, env: at.env };
    const { out } = await runSett(["forage", "--goal", "-"], { ...surroundings, stdin: text });
    expect(await at.need("unearth", out.trim(), "--payload")).toBe(text);
    const binary = await runSett(["forage", "--goal", "-"], {
      ...surroundings,
      stdin: new Uint8Array([0xff, 0xfe]),
    });
    expect(binary.code).toBe(2);
    expect(binary.err).toContain("UTF-8");
  });

  test("refuses an empty goal and one of more than 16 MiB", async () => {
    for (const empty of ["", " \n"])
      expect((await at.sett("forage", "--goal", empty)).code).toBe(2);
    const long = new Uint8Array(16 * 1024 * 1024 + 1).fill(97);
    const { code, err } = await runSett(["forage", "--goal", "-"], {
      cwd: at.folder,
      env: at.env,
      stdin: long,
    });
    expect(code).toBe(2);
    expect(err).toContain("16 MiB");
  });

  test("needs a clean repository, and lists what is not; nothing is pinned then", async () => {
    const refs = await at.git("for-each-ref", "refs/sett");
    await writeFile(join(at.folder, "new file.txt"), "");
    await writeFile(join(at.folder, "door.txt"), "red\n");
    const { code, out, err } = await at.sett("forage", "--goal", "Paint");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("?? new file.txt");
    expect(err).toContain(" M door.txt");
    expect(err).toContain("git stash");
    await $`git stash --quiet -u && git stash drop --quiet`.cwd(at.folder);
    expect(await at.git("for-each-ref", "refs/sett")).toBe(refs);
  });

  test("says when Redis is not there, and leaves no pin", async () => {
    const refs = await at.git("for-each-ref", "refs/sett");
    const env = { ...at.env, REDIS_URL: "redis://:secret@127.0.0.1:1" };
    const { code, err } = await runSett(["forage", "--goal", "x"], { cwd: at.folder, env });
    expect(code).toBe(1);
    expect(err).toContain("127.0.0.1:1");
    expect(err).not.toContain("secret");
    expect(await at.git("for-each-ref", "refs/sett")).toBe(refs);
  });
});

test("an instance with nothing on it says what to do", async () => {
  const env = { ...at.env, SETT_INSTANCE_NAME: "empty" };
  const empty = await runSett(["hoard"], { cwd: at.folder, env });
  expect(empty).toMatchObject({ code: 0, out: "" });
  expect(empty.err).toContain("sett forage");
  expect((await runSett(["hoard", "--json"], { cwd: at.folder, env })).out).toBe("[]\n");
  expect((await runSett(["status"], { cwd: at.folder, env })).code).toBe(0);
});
