// What `sett up` decides before it makes anything.
import { describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseName, requireFree } from "../../apps/cli/up/checks.ts";
import { contextHash } from "../../apps/cli/up/context-hash.ts";
import { withLock } from "../../apps/cli/up/with-lock.ts";
import { SettError } from "../../lib/model/errors.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import type { InstanceParts } from "../../lib/runtime/port.ts";
import { instanceParts as parts } from "./support/instance-parts.ts";

const here = "/home/ada/here";
const demo = InstanceName.parse("demo");

function refusal(all: InstanceParts[]): string | undefined {
  try {
    requireFree(demo, here, all);
    return undefined;
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return error.code;
  }
}

describe("a name and a repository", () => {
  test("are free when nobody has them, or when only a blackboard of this repository is left", () => {
    expect(refusal([])).toBeUndefined();
    expect(refusal([parts("demo", here, "blackboard")])).toBeUndefined();
    expect(refusal([parts("other", "/elsewhere", "containers")])).toBeUndefined();
    expect(refusal([parts("other", here, "blackboard")])).toBeUndefined();
  });

  test("are taken by what runs, by what is being made, and by another repository's blackboard", () => {
    expect(refusal([parts("demo", here, "containers")])).toBe("instance-taken");
    expect(refusal([parts("demo", here, "network")])).toBe("instance-taken");
    expect(refusal([parts("demo", "/elsewhere", "blackboard")])).toBe("instance-taken");
    expect(refusal([parts("other", here, "containers")])).toBe("workspace-taken");
    expect(refusal([parts("other", here, "network")])).toBe("workspace-taken");
  });

  test("one whose agent has died or is gone is refused by that agent's name", () => {
    const refusalOf = (all: InstanceParts) => {
      try {
        requireFree(demo, here, [all]);
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
      return undefined;
    };
    expect(refusalOf(parts("demo", here, "containers"))).toContain("already, running, for this repository");
    const { containers, ...rest } = parts("demo", here, "containers");
    const dead = { state: "exited", exitCode: 1, endedAt: "", isOutOfMemory: false } as const;
    const died = containers.map((part) => (part.labels.component === "agent" ? { ...part, state: dead } : part));
    expect(refusalOf({ ...rest, containers: died })).toContain("2 of 3 running (coder has exited)");
    const gone = containers.filter(({ labels }) => labels.component !== "agent");
    expect(refusalOf({ ...rest, containers: gone })).toContain("2 of 3 running (coder is gone)");
  });

  test("the name is the folder's where that makes one", () => {
    expect(String(chooseName(undefined, "/home/ada/My Repository_2"))).toBe("my-repository-2");
    expect(String(chooseName(undefined, `/home/${"a".repeat(39)}-b`))).toBe("a".repeat(39));
    expect(String(chooseName("demo", "/x"))).toBe("demo");
    expect(() => chooseName(undefined, "/home/ada/___")).toThrow("gives no name");
    expect(() => chooseName("No", "/x")).toThrow("`No` is no name");
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

test("jobs under one lock run one after the other, also after one that failed", async () => {
  const name = `test-${crypto.randomUUID()}`;
  const { signal } = new AbortController();
  let inside = 0;
  let most = 0;
  const job = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await expect(withLock(name, signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await Promise.all(Array.from({ length: 5 }, () => withLock(name, signal, job)));
  expect(most).toBe(1);
});
