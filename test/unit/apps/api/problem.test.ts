import { expect, test } from "bun:test";
import { etagOf, matches } from "../../../../apps/api/etags.ts";
import { problemOf } from "../../../../apps/api/problem.ts";
import { SettError } from "../../../../lib/model/errors.ts";

test("an expected failure has its sentence, its advice and a status of its own", () => {
  expect(
    problemOf(
      new SettError("artefact-not-found", "There is no artefact x.", { hint: "Look again." }),
    ),
  ).toEqual({
    type: "https://sett.dev/problems/artefact-not-found",
    title: "There is no such thing",
    status: 404,
    detail: "There is no artefact x.",
    hint: "Look again.",
    code: "artefact-not-found",
  });
  const statuses = {
    "workspace-dirty": 409,
    usage: 422,
    "redis-unreachable": 503,
    "not-allowed": 403,
    "too-large": 413,
  } as const;
  for (const [code, status] of Object.entries(statuses))
    expect(problemOf(new SettError(code as keyof typeof statuses, "x")).status).toBe(status);
});

test("a mistake of the program says nothing of what is inside", () => {
  const problem = problemOf(new TypeError("redis://person:secret@host: x is undefined"));
  expect(problem).toMatchObject({ status: 500, code: "internal" });
  expect(JSON.stringify(problem)).not.toContain("secret");
});

test("an ETag is strong, of the content, and is found in a list", () => {
  const etag = etagOf("content");
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  expect(etagOf("other")).not.toBe(etag);
  for (const header of [etag, `"a", ${etag}`, `W/${etag}`, "*"])
    expect(matches(header, etag)).toBe(true);
  for (const header of [undefined, "", '"a"', etag.slice(1, -1)])
    expect(matches(header, etag)).toBe(false);
});
