// The recipe of docs/guides/triggers.md, with a server that asks for what the forges document.
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { signatureOf } from "../../../apps/orchestrator/notify/sign.ts";
import { root } from "../../support/root.ts";

const secret = "a secret of 16 or more";
const commit = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
const message = (over: object = {}) => ({
  type: "goal.achieved",
  instance: "demo",
  goal: {
    id: "ed094742-0000-4000-8000-000000000000",
    summary: `Review octo-org/door#12 at ${commit}`,
  },
  artefact: { type: "ReviewDone", by: "reviewer", text: "Two findings.\nAsk @ada, see #7." },
  ...over,
});

type Call = { path: string; headers: Headers; body: unknown };

/** A forge that answers with `status`, and the recipe that reports to it. */
async function start(forge: "github" | "gitlab", statusOf = (_calls: number) => 201) {
  const calls: Call[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      calls.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await request.json(),
      });
      return new Response("{}", { status: statusOf(calls.length) });
    },
  });
  const child = spawn(process.execPath, [join(root, "docs/recipes/report-to-forge.mjs")], {
    env: {
      ...{ PORT: "0", FORGE: forge, FORGE_API: `http://127.0.0.1:${server.port}` },
      ...{ FORGE_TOKEN: "token-of-the-forge", SETT_HOOK_SECRET: secret },
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    calls,
    async tell(body: unknown, { id = "msg-1", key = secret, age = 0 } = {}) {
      const text = JSON.stringify(body);
      const timestampSeconds = Math.floor(Date.now() / 1_000) - age;
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(timestampSeconds),
        "webhook-signature": signatureOf({ id, timestampSeconds, body: text }, key),
      };
      const port = Number(/\d+$/.exec(line)?.[0]);
      return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: text }))
        .status;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
      await server.stop(true);
    },
  };
}

test("GitHub gets a commit status and a comment, once for each message", async () => {
  await using recipe = await start("github");
  expect(await recipe.tell(message())).toBe(204);
  expect(await recipe.tell(message())).toBe(204);
  const [status, comment, ...more] = recipe.calls;
  expect(more).toEqual([]);
  expect(status).toMatchObject({
    path: `/repos/octo-org/door/statuses/${commit}`,
    body: { state: "success", context: "sett/demo", description: "The goal is achieved." },
  });
  expect(status?.headers.get("authorization")).toBe("Bearer token-of-the-forge");
  expect(status?.headers.get("accept")).toBe("application/vnd.github+json");
  expect(comment?.path).toBe("/repos/octo-org/door/issues/12/comments");
  // No one is mentioned, and no issue is closed, by what an agent has written.
  expect(Object(comment?.body).body).toBe(
    "The goal is achieved. Sett `demo`, goal `ed094742`.\n\n> Two findings.\n> Ask @\u200bada, see #\u200b7.",
  );
});

test("GitLab gets its own words for a state, and a note", async () => {
  await using recipe = await start("gitlab");
  const goal = { ...message().goal, summary: `Review mike/group/door#3 at ${commit}` };
  expect(await recipe.tell(message({ type: "goal.failed", goal }))).toBe(204);
  const [status, note] = recipe.calls;
  expect(status?.path).toBe(`/projects/mike%2Fgroup%2Fdoor/statuses/${commit}`);
  expect(status?.body).toEqual({
    state: "failed",
    name: "sett/demo",
    description: "The goal has failed.",
  });
  expect(status?.headers.get("private-token")).toBe("token-of-the-forge");
  expect(note?.path).toBe("/projects/mike%2Fgroup%2Fdoor/merge_requests/3/notes");
});

test("a goal without a number gets a status alone, and any other goal nothing", async () => {
  await using recipe = await start("github");
  await recipe.tell(
    message({ goal: { ...message().goal, summary: `Build octo-org/door at ${commit}` } }),
    { id: "a" },
  );
  expect(recipe.calls.map(({ path }) => path)).toEqual([`/repos/octo-org/door/statuses/${commit}`]);
  await recipe.tell(message({ goal: { ...message().goal, summary: "Paint the door" } }), {
    id: "b",
  });
  await recipe.tell(message({ type: "question.asked" }), { id: "c" });
  expect(recipe.calls).toHaveLength(1);
});

test("what is not signed by this sett, or is old, reaches no forge", async () => {
  await using recipe = await start("github");
  expect(await recipe.tell(message(), { key: "another secret of 16" })).toBe(401);
  expect(await recipe.tell(message(), { age: 600 })).toBe(401);
  expect(recipe.calls).toEqual([]);
});

test("a forge that does not answer well is asked again when Sett sends the message again", async () => {
  await using recipe = await start("github", (calls) => (calls === 1 ? 502 : 201));
  expect(await recipe.tell(message())).toBe(503);
  expect(await recipe.tell(message())).toBe(204);
  expect(recipe.calls.map(({ path }) => path.split("/")[4])).toEqual([
    "statuses",
    "statuses",
    "issues",
  ]);
});
