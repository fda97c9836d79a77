// When an image must be built anew.
import { expect, test } from "bun:test";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextHash } from "../../../../../apps/cli/up/context-hash.ts";

test("an image's inputs change with a file, a mode, a link, an argument and its base image, and with nothing else", async () => {
  const context = await mkdtemp(join(tmpdir(), "sett-context-"));
  try {
    const dockerfile = join(context, "Dockerfile");
    await writeFile(dockerfile, "FROM base:1 AS first\nFROM --platform=linux/amd64 first\nCOPY --from=tools:2 /a /a\n");
    await writeFile(join(context, "run.sh"), "one", { mode: 0o644 });
    let base = "sha256:1";
    const tags: string[] = [];
    const hash = (args: Record<string, string> = {}) =>
      contextHash({ kind: "build", context, dockerfile, args }, async (tag) => {
        tags.push(tag);
        return base;
      });
    const seen = [await hash()];
    expect(new Set(tags)).toEqual(new Set(["base:1", "tools:2"]));
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
