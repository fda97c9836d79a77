// Pages of what waits for a person: no answer has all that agents have asked, however long it is.
import { expect, test } from "bun:test";
import { ApiScene } from "../../support/api/api-scene.ts";
import { bids, report } from "../../support/cli/sett.ts";
import { waitFor } from "../../support/wait-for.ts";

const mebibyte = 1024 ** 2;

test("questions and approvals come in pages, by number and by length, each of them once", async () => {
  await using scene = await ApiScene.start({
    coder: {
      ...bids({ on: "GoalDefined", bid: "exclusive" }),
      tool: ({ target_artefact: { payload } }) =>
        payload === "long"
          ? { structural_type: "Question", payload: "Which? ".padEnd(3 * mebibyte, "x") }
          : report("Report"),
    },
    ada: {
      human: true,
      role: "ada",
      people: [{ name: "ada" }],
      ...bids({ on: "Report", bid: "review" }),
    },
    grace: {
      human: true,
      role: "grace",
      people: [{ name: "grace" }],
      ...bids({ on: "Report", bid: "review" }),
    },
  });
  for (const text of ["long", "short", "long", "long", "short", "long"])
    await scene.clan.postGoal(text);
  const read = async (query: string) =>
    (await scene.get(`/v1/${query}`)).body as {
      items: { kind: string; id: string; for?: string }[];
      next: string | null;
    };
  await waitFor("all to wait", async () => {
    const { items } = await read("approvals");
    return items.length === 4 && (await scene.clan.board.listOpenQuestions()).length === 4;
  });
  const pagesOf = async (query: string) => {
    const pages: string[][] = [];
    for (let cursor = ""; ; ) {
      const { items, next } = await read(`${query}${cursor}`);
      pages.push(items.map((one) => `${one.kind} ${one.id} ${one.for ?? ""}`));
      if (next === null) return pages;
      cursor = `${query.includes("?") ? "&" : "?"}cursor=${next}`;
    }
  };
  const byLength = await pagesOf("inquiries");
  expect(byLength.length).toBeGreaterThan(1);
  expect(new Set(byLength.flat()).size).toBe(8);
  expect(byLength.flat()).toHaveLength(8);
  const questions = await pagesOf("questions?limit=3");
  expect(questions.map((page) => page.length)).toEqual([2, 2]);
  expect((await pagesOf("approvals?limit=1")).map((page) => page.length)).toEqual([1, 1, 1, 1]);
  expect(await scene.get("/v1/questions?cursor=hm")).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("The cursor cannot be used.") },
  });
});
