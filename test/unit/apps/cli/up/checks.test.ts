// What `sett up` decides before it makes anything.
import { describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseInstance, requireFreeOrOwn } from "../../../../../apps/cli/up/checks.ts";
import { contextHash } from "../../../../../apps/cli/up/context-hash.ts";
import { findEngineSocket } from "../../../../../apps/cli/up/engine-socket.ts";
import { Journal } from "../../../../../apps/cli/up/undo.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../../../lib/runtime/port.ts";
import { instanceParts as parts } from "../../../../support/cli/instance-parts.ts";

const here = "/home/ada/here";
const demo = InstanceName.parse("demo");

function refusal(all: InstanceParts[]): string | undefined {
  try {
    requireFreeOrOwn(demo, here, all);
    return undefined;
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return error.code;
  }
}

describe("a name and a repository", () => {
  test("are free when nobody has them, and its own to the repository that has them", () => {
    expect(refusal([])).toBeUndefined();
    for (const has of ["containers", "network", "blackboard"] as const)
      expect(refusal([parts("demo", here, has)])).toBeUndefined();
    expect(refusal([parts("other", "/elsewhere", "containers")])).toBeUndefined();
    expect(refusal([parts("other", here, "blackboard")])).toBeUndefined();
  });

  test("are taken by another repository's instance of that name, and by another instance of this repository", () => {
    for (const has of ["containers", "network", "blackboard"] as const)
      expect(refusal([parts("demo", "/elsewhere", has)])).toBe("instance-taken");
    expect(refusal([parts("other", here, "containers")])).toBe("workspace-taken");
    expect(refusal([parts("other", here, "network")])).toBe("workspace-taken");
  });

  const chosen = (name: string | undefined, folder: string, ...all: InstanceParts[]) =>
    String(chooseInstance(name, folder, all).instance);

  test("the name of a new instance is the folder's where that makes one", () => {
    expect(chosen(undefined, "/home/ada/My Repository_2")).toBe("my-repository-2");
    expect(chosen(undefined, "/home/ada/Prüf")).toBe("pruf");
    expect(chosen(undefined, "/home/ada/pru\u0308f")).toBe("pruf");
    expect(chosen(undefined, "/home/ada/Große Straße №1 Łódź")).toBe("grosse-strasse-no1-lodz");
    expect(chosen(undefined, `/home/${"a".repeat(39)}-b`)).toBe("a".repeat(39));
    expect(chosen("demo", "/x")).toBe("demo");
    expect(() => chosen(undefined, "/home/ada/___")).toThrow("gives no name");
    expect(() => chosen("No", "/x")).toThrow("`No` is no name");
  });

  test("without a name, up means the one instance that the repository has, running or kept, and says why", () => {
    for (const has of ["containers", "network", "blackboard"] as const)
      expect(chosen(undefined, here, parts("other", "/elsewhere", has), parts("demo", here, has))).toBe("demo");
    expect(chosen(undefined, here, parts("demo", here, "containers"), parts("kept", here, "blackboard"))).toBe("demo");
    expect(chosen(undefined, here, parts("other", "/elsewhere", "containers"))).toBe("here");
    expect(chooseInstance(undefined, here, [parts("demo", here, "blackboard")]).why).toContain(
      "blackboard this repository has kept",
    );
    expect(chooseInstance(undefined, here, []).why).toContain("here, a new instance named after the folder");
    expect(chooseInstance("demo", here, []).why).toBeUndefined();
  });

  test("with several kept blackboards up asks which one to go on with", () => {
    const kept = [parts("here", here, "blackboard"), parts("second", here, "blackboard")];
    expect(() => chosen(undefined, here, ...kept)).toThrow("here, second");
    expect(chosen("second", here, ...kept)).toBe("second");
  });
});

describe("the engine's socket, for an instance with workers,", () => {
  const refusalOf = (DOCKER_HOST: string) => findEngineSocket({ DOCKER_HOST }).catch((error: unknown) => error);

  test("is known with the group that may use it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
    const path = join(folder, "docker.sock");
    await writeFile(path, "");
    expect(await findEngineSocket({ DOCKER_HOST: `unix://${path}` })).toEqual({ path, gid: (await stat(path)).gid });
    await rm(folder, { recursive: true });
  });

  test("is refused where it is missing, out of reach, or of another machine, with who needs it", async () => {
    const hint = expect.stringContaining("Agents with `replicas` or `strategy: fresh_per_call` need it");
    for (const path of ["/no/such/docker.sock", "/dev/null/docker.sock"])
      expect(await refusalOf(`unix://${path}`)).toMatchObject({
        code: "docker-unreachable",
        message: expect.stringContaining(`The Docker Engine's socket ${path} cannot be used: `),
        hint,
      });
    expect(await refusalOf("tcp://10.0.0.1:2375")).toMatchObject({
      code: "docker-unreachable",
      message: "The Docker Engine is reached by tcp://10.0.0.1:2375, which is not a socket of this machine.",
      hint,
    });
  });
});

test("an image's inputs change with a file, a mode, a link, an argument and its base image, and with nothing else", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const dockerfile = join(context, "Dockerfile");
    await writeFile(dockerfile, "FROM base:1 AS first\nFROM --platform=linux/amd64 first\nCOPY --from=tools:2 /a /a\n");
    await writeFile(join(context, "run.sh"), "one", { mode: 0o644 });
    let base = "sha256:1";
    const asked: string[] = [];
    const hash = (args: Record<string, string> = {}) =>
      contextHash({ kind: "build", context, dockerfile, args }, async (tag) => {
        asked.push(tag);
        return base;
      });
    const seen = [await hash()];
    expect(new Set(asked)).toEqual(new Set(["base:1", "tools:2"]));
    expect(await hash()).toBe(seen[0]);
    seen.push(await hash({ A: "1" }));
    base = "sha256:2";
    seen.push(await hash());
    await chmod(join(context, "run.sh"), 0o755);
    seen.push(await hash());
    await writeFile(join(context, "run.sh"), "two");
    seen.push(await hash());
    await symlink("run.sh", join(context, "link"));
    seen.push(await hash());
    expect(seen).not.toContain(undefined);
    expect(new Set(seen).size).toBe(seen.length);
    await writeFile(dockerfile, "ARG BASE\nFROM $BASE\n");
    expect(await hash()).toBeUndefined();
  } finally {
    await rm(context, { recursive: true });
  }
});

test("a journal takes everything back from the end, and lets only then go on what stood still", async () => {
  const journal = new Journal();
  expect(journal.hasBegun).toBe(false);
  const done: string[] = [];
  const step = (name: string) => async () => done.push(name);
  journal.note(step("network"));
  journal.noteLast(step("old agent runs"));
  journal.note(async () => {
    throw new Error("engine away");
  });
  journal.note(step("agent"));
  expect(await journal.takeBack()).toEqual([new Error("engine away")]);
  expect(done).toEqual(["agent", "network", "old agent runs"]);
  journal.note(step("too late"));
  journal.noteLast(step("too late"));
  journal.close();
  expect(journal).toMatchObject({ hasBegun: true, isEmpty: true });
  await journal.takeBack();
  expect(done).toHaveLength(3);
});
