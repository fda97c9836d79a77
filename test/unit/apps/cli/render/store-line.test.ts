import { describe, expect, test } from "bun:test";
import { storeLine } from "../../../../../apps/cli/render/store-line.ts";
import type { Store } from "../../../../../lib/client/facts/blocked-reason.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";

const mebibyte = 1024 ** 2;
const lines = (store: Partial<Store>) =>
  storeLine(
    {
      suggest: suggestFor("demo"),
      store: { problem: undefined, usedBytes: 0, limitBytes: 1_000 * mebibyte, ...store },
    },
    createStyle(false),
  );

test("there is no warning below four fifths of the memory, nor where Redis has no limit", () => {
  expect(lines({ usedBytes: 799 * mebibyte })).toEqual([]);
  expect(lines({ usedBytes: 9_000 * mebibyte, limitBytes: undefined })).toEqual([]);
  expect(storeLine({ suggest: suggestFor(undefined) }, createStyle(false))).toEqual([]);
});

test("from four fifths on the line says how full Redis is, and how to make room in this instance", () => {
  expect(lines({ usedBytes: 800 * mebibyte })).toEqual([
    "Redis is 80 % full (800 MiB of 1000 MiB), and refuses writes when it is full, large results first: make room with " +
      "`sett prune --before 30d --name demo`, or raise services.redis.resources.limits.memory in sett.yml, then `sett up --name demo`",
  ]);
  expect(
    lines({ usedBytes: 3 * 1024 * mebibyte, limitBytes: 3.2 * 1024 * mebibyte })[0],
  ).toStartWith("Redis is 93 % full (3.0 GiB of 3.2 GiB),");
});

test("a Redis with a limit that removes keys is warned of, however empty it is", () => {
  const [line] = lines({ policy: "allkeys-lru" });
  expect(line).toStartWith(
    "Redis removes goals and results when it is full, since its maxmemory-policy is allkeys-lru.",
  );
  expect(line).toContain("`redis-cli CONFIG SET maxmemory-policy noeviction`");
  expect(lines({ policy: "noeviction" })).toEqual([]);
  expect(lines({ policy: "allkeys-lru", limitBytes: undefined })).toEqual([]);
});

describe("where Redis refuses writes, the line names the remedy", () => {
  test.each([
    [
      "its memory is full",
      "Redis refuses writes: OOM command not allowed.",
      "make room with `sett prune",
    ],
    ["its disk is full", "Redis refuses writes: MISCONF errors writing.", "make room on the disk"],
    ["it is a replica", "Redis refuses writes: READONLY replica.", "this server is a replica"],
    [
      "for another reason",
      "Redis refuses writes: NOREPLICAS few.",
      "see `sett logs redis --name demo`",
    ],
  ])("%s", (_, problem, remedy) => {
    const [line, ...others] = lines({ problem });
    expect(line).toStartWith(
      `${problem} Nothing is lost. Work goes on when Redis accepts writes again: ${remedy}`,
    );
    expect(others).toEqual([]);
  });
});
