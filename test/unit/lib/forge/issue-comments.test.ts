import { expect, test } from "bun:test";
import { restForge } from "../../../../lib/forge/rest-forge.ts";

/** A forge that answers each request by its method and path so, and else 404. */
function forgeOf(answers: Record<string, unknown>) {
  const requests: string[] = [];
  const fetch = (async (url: string, { method }: RequestInit) => {
    const { pathname, search } = new URL(url);
    requests.push(`${method} ${pathname}${search}`);
    const answer = answers[`${method} ${pathname.replace("/api/v1/repos/a/b", "")}`];
    return answer === undefined
      ? Response.json({ message: "Not Found" }, { status: 404 })
      : Response.json(answer);
  }) as unknown as typeof globalThis.fetch;
  const file = { kind: "gitea" as const, url: "http://h", repository: "a/b", token: "t" };
  return { requests, comments: restForge({ file, token: "t", fetch, now: () => 0 }).comments };
}

test("comments are those since a time, with their texts", async () => {
  const list = [{ id: 1, body: "one" }, { id: 2 }];
  const { comments, requests } = forgeOf({ "GET /issues/7/comments": list });
  const found = await comments.list(7, new Date("2026-01-02T03:04:05.000Z"));
  expect(found.list).toEqual([
    { id: 1, text: "one" },
    { id: 2, text: "" },
  ]);
  expect(requests[0]).toContain("/issues/7/comments?since=2026-01-02T03%3A04%3A05.000Z&");
});

test("a comment is gone where its issue is there without it, and not where the token may see nothing", async () => {
  const { comments } = forgeOf({ "GET /issues/7": { number: 7 } });
  expect(await comments.change(7, 1, "two")).toBe("gone");
  await expect(forgeOf({}).comments.change(7, 1, "two")).rejects.toThrow(
    "or the token may not see it",
  );
  const there = { "GET /issues/7": {}, "PATCH /issues/comments/1": { id: 1 } };
  expect(await forgeOf(there).comments.change(7, 1, "two")).toBe("changed");
});
