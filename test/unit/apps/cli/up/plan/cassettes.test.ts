import { expect, test } from "bun:test";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareCassettes, readCassettes } from "../../../../../../apps/cli/up/plan/cassettes.ts";
import { errorOf } from "../../../../../support/error-of.ts";

const place = { containerUser: { uid: 10_001, gid: 10_001 } };

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "sett-cassettes-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("a folder of recorded calls is named from where the person is, with one option and not with both", async () => {
  expect(readCassettes({}, "/home/ada")).toBeUndefined();
  expect(readCassettes({ record: "calls" }, "/home/ada")).toEqual({
    mode: "record",
    folder: "/home/ada/calls",
  });
  expect(readCassettes({ replay: "/calls" }, "/home/ada")).toEqual({
    mode: "replay",
    folder: "/calls",
  });
  expect(await errorOf(async () => readCassettes({ record: "a", replay: "a" }, "/"))).toMatchObject(
    {
      code: "usage",
      message: "--record and --replay cannot be used together.",
    },
  );
});

test("--record makes its folder, which --replay needs with something in it", async () => {
  await using home = await folder();
  const path = join(home.path, "new/calls");
  const replay = { mode: "replay", folder: path } as const;
  const problem = async () => (await errorOf(() => prepareCassettes(replay, true, place))).message;
  expect(await problem()).toBe(`There is nothing to replay: ${path} does not exist.`);
  await prepareCassettes({ mode: "record", folder: path }, true, place);
  expect((await stat(path)).isDirectory()).toBe(true);
  expect(await problem()).toBe(`There is nothing to replay: ${path} is empty.`);
  await writeFile(join(path, "0001.json"), "{}");
  await prepareCassettes(replay, true, place);
  expect(
    (
      await errorOf(() =>
        prepareCassettes({ mode: "record", folder: join(path, "0001.json") }, true, place),
      )
    ).message,
  ).toContain("0001.json is a file.");
});

test("where sett.yml has no models there is nothing to record, and nothing is made", async () => {
  await using home = await folder();
  const path = join(home.path, "calls");
  expect(
    await errorOf(() => prepareCassettes({ mode: "record", folder: path }, false, place)),
  ).toMatchObject({
    code: "usage",
    message: "--record is for calls of models, and sett.yml has no `models`.",
  });
  await expect(stat(path)).rejects.toThrow("no such file");
  await prepareCassettes(undefined, false, place);
});
