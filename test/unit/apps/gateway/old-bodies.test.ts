// Bodies of calls that are older than they are to be kept.
import { expect, test } from "bun:test";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BodyStore, pathOfBody } from "../../../../apps/gateway/body-store.ts";
import { removeOldBodies } from "../../../../apps/gateway/old-bodies.ts";
import { readBody } from "../../../../apps/gateway/read-bodies.ts";
import { createJsonLog } from "../../../../lib/service/json-log.ts";

test("old bodies are removed, and one that was sent again is kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-old-bodies-"));
  try {
    const log = createJsonLog(
      () => {},
      () => new Date(),
    );
    const store = new BodyStore({ folder, mode: "bodies", log });
    const keep = async (text: string) => {
      const { digest } = store.keep(new TextEncoder().encode(text), "text/plain");
      await store.settled();
      return digest;
    };
    const [old, again, young] = [await keep("old"), await keep("again"), await keep("young")];
    const longAgo = new Date(Date.now() - 86_400_000);
    for (const digest of [old, again]) await utimes(pathOfBody(folder, digest), longAgo, longAgo);
    await keep("again");
    expect(await removeOldBodies(folder, Date.now() - 3_600_000)).toBe(1);
    const left = await Promise.all([old, again, young].map((digest) => readBody(folder, digest)));
    expect(left).toMatchObject([{ missing: true }, { text: "again" }, { text: "young" }]);
    expect(await removeOldBodies(join(folder, "none"), Date.now())).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
