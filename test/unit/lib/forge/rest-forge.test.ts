// What a forge says on several pages, in the forms in which forges do.
import { expect, test } from "bun:test";
import { restForge } from "../../../../lib/forge/rest-forge.ts";

type Page = { data: unknown; headers?: Record<string, string> };

/** A forge that answers each list so, page by page; beyond them with the last one. */
function forgeOf(kind: "github" | "gitea", pages: readonly Page[]) {
  const requests: string[] = [];
  const fetch = (async (url: string) => {
    requests.push(url);
    const at = Number(new URL(url).searchParams.get("page") ?? 1) - 1;
    const { data, headers = {} } = pages[Math.min(at, pages.length - 1)] ?? { data: [] };
    return Response.json(data, { headers });
  }) as unknown as typeof globalThis.fetch;
  const file = { kind, url: "http://h", repository: "a/b", token: "t" };
  return { requests, forge: restForge({ file, token: "t", fetch, now: () => 0 }) };
}

const reviews = (count: number, state: string, from = 0) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: from + at, user: { login: "ada" }, state, commit_id: "c", body: "" },
  }));

test("a page that has less than a full one does not hide the reviews of the next", async () => {
  const headers = { "x-total-count": "52" };
  const { forge, requests } = forgeOf("gitea", [
    // It leaves out a review that is not sent yet, and counts it.
    { data: reviews(49, "APPROVED"), headers },
    { data: reviews(2, "REQUEST_CHANGES", 49), headers },
    { data: [], headers },
  ]);
  const { list, isWhole } = await forge.opinions(1);
  expect(list).toHaveLength(51);
  expect(list.at(-1)?.says).toBe("rejects");
  expect(isWhole).toBe(true);
  expect(requests).toHaveLength(3);
});

test("an issue is known by its address, if it is of this very repository at this very forge", () => {
  const { forge } = forgeOf("gitea", []);
  expect(forge.issueAt("http://h/a/b/issues/12")).toBe(12);
  expect(forge.issueAt("http://h/A/B/issues/12")).toBe(12);
  for (const address of [
    ...["http://h/a/c/issues/12", "http://other/a/b/issues/12", "https://h/a/b/issues/12"],
    ...["http://h/a/b/pulls/12", "http://h/a/b/issues/12#issuecomment-1", "http://h/a/b/issues/"],
    ...["http://h/a/b/issues/012", "http://h/a/b/issues/1 2", "http://h/a/b/issues/1\n#2"],
  ])
    expect([address, forge.issueAt(address)]).toEqual([address, undefined]);
});

test("a link to a next page is followed, whatever the size of this one", async () => {
  const link = `<http://h/next?page=2>; rel="next", <http://h/next?page=9>; rel="last"`;
  const { forge } = forgeOf("github", [
    { data: reviews(30, "APPROVED"), headers: { link } },
    { data: reviews(1, "CHANGES_REQUESTED", 30) },
  ]);
  expect((await forge.opinions(1)).list.at(-1)?.says).toBe("rejects");
});

test("a list without pages is read once", async () => {
  const data = Array.from({ length: 60 }, (_, at) => ({
    ...{ path: "a.txt", body: String(at), position: 0, original_position: at + 1 },
  }));
  const { forge } = forgeOf("gitea", [{ data }]);
  const opinion = { id: 1, account: "ada", says: "rejects", commit: "c", text: "" } as const;
  const { list, isWhole } = await forge.remarks(1, opinion);
  expect([list.length, isWhole, list[0]?.line]).toEqual([60, true, 1]);
});

const statuses = (count: number, state: string, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ context: `c${from + at}`, status: state }));

test("all statuses of a commit count, and one that was skipped is none that is awaited", async () => {
  const { forge } = forgeOf("gitea", [
    { data: { statuses: statuses(50, "skipped") } },
    {
      data: { statuses: [...statuses(1, "failure", 50), { context: "sett", status: "success" }] },
    },
  ]);
  const { list, isWhole } = await forge.checks("c");
  expect(isWhole).toBe(true);
  expect(list.map(({ state }) => state)).toEqual([...Array(50).fill("success"), "failure"]);
  expect(await forge.status("c")).toMatchObject({ state: "success" });
});
