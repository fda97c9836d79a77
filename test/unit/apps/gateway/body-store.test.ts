// Bodies in files: compressed, by digest, and never a reason for a call to fail.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BodyStore, pathOfBody } from "../../../../apps/gateway/body-store.ts";
import { readBody } from "../../../../apps/gateway/read-bodies.ts";
import { createJsonLog } from "../../../../lib/service/json-log.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-bodies-"));
});
afterAll(() => rm(folder, { recursive: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

function storeIn(name: string, mode: "bodies" | "digests" = "bodies") {
  const lines: string[] = [];
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  return { store: new BodyStore({ folder: join(folder, name), mode, log }), lines };
}

test("a body is read as it was written, in parts or whole, and stored once", async () => {
  const { store } = storeIn("one");
  const whole = store.keep(bytes("hello world"), "text/plain");
  expect(whole).toEqual({
    digest: createHash("sha256").update("hello world").digest("hex"),
    bytes: 11,
    content_type: "text/plain",
  });
  const writer = store.open("text/plain");
  await writer.write(bytes("hello "));
  await writer.write(bytes("world"));
  expect(writer.end()).toEqual(whole);
  expect(writer.end()).toEqual(whole);
  await store.settled();
  expect(await readBody(join(folder, "one"), whole.digest)).toEqual({
    digest: whole.digest,
    text: "hello world",
  });
  expect((await stat(pathOfBody(join(folder, "one"), whole.digest))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "one", "drafts"))).toEqual([]);
});

test("bytes that are no text are read as base64, and large ones in parts", async () => {
  const { store } = storeIn("binary");
  const writer = store.open("application/octet-stream");
  const parts = Array.from({ length: 40 }, () => new Uint8Array(randomBytes(100_000)));
  for (const part of parts) await writer.write(part);
  const { digest, bytes: size } = writer.end();
  await store.settled();
  expect(size).toBe(4_000_000);
  expect(await readBody(join(folder, "binary"), digest)).toEqual({
    digest,
    base64: Buffer.concat(parts).toString("base64"),
  });
});

test("a body that is not there, or is damaged, is missing", async () => {
  const { store } = storeIn("damaged");
  const { digest } = store.keep(bytes("x"), "");
  await store.settled();
  await writeFile(pathOfBody(join(folder, "damaged"), digest), "not gzip");
  expect(await readBody(join(folder, "damaged"), digest)).toEqual({ digest, missing: true });
  expect(await readBody(join(folder, "nowhere"), digest)).toEqual({ digest, missing: true });
});

test("where the folder cannot be written, the digest is still known, and the log says so", async () => {
  await writeFile(join(folder, "file"), "");
  const { store, lines } = storeIn("file");
  const writer = store.open("text/plain");
  for (let part = 0; part < 200; part++) await writer.write(new Uint8Array(randomBytes(10_000)));
  expect(writer.end().bytes).toBe(2_000_000);
  await store.settled();
  expect(lines.join("")).toContain("Could not keep the body of a call");
});
