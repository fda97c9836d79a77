import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { putHookSecrets, readHookSecret } from "../../../../apps/api/hook-secrets.ts";
import { errorOf } from "../../../support/error-of.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

async function folder() {
  const root = await mkdtemp(join(tmpdir(), "sett-hooks-"));
  return {
    path: join(root, "hooks"),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

test("secrets are there as files that only their owner reads, and what is not given any more is gone", async () => {
  await using place = await folder();
  expect(await readHookSecret(place.path, "one")).toBeUndefined();
  await putHookSecrets(
    place.path,
    JSON.stringify({ one: base64("first"), two: base64("second ü") }),
  );
  expect(await readHookSecret(place.path, "two")).toBe("second ü");
  expect((await stat(join(place.path, "one"))).mode & 0o777).toBe(0o600);
  await putHookSecrets(place.path, JSON.stringify({ one: base64("third") }));
  expect(await readHookSecret(place.path, "one")).toBe("third");
  expect(await readdir(place.path)).toEqual(["one"]);
});

test("no name leads out of the folder", async () => {
  await using place = await folder();
  expect(await readHookSecret(place.path, "../../etc/hostname")).toBeUndefined();
  const error = await errorOf(
    putHookSecrets(place.path, JSON.stringify({ "../x": base64("out") })),
  );
  expect(error).toMatchObject({ code: "usage" });
  expect(await readdir(join(place.path, ".."))).toEqual([]);
});

test("what cannot be read is refused, without a part of it", async () => {
  await using place = await folder();
  for (const text of ["", "{", '{"one": "not base64!"}', '"a-secret"']) {
    const error = await errorOf(putHookSecrets(place.path, text));
    expect(error).toMatchObject({ code: "usage" });
    if (text.length > 1) expect(String(error)).not.toContain(text);
  }
});
