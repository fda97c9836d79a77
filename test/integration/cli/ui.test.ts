// sett ui, as a real process: the API of an instance for the person at the keyboard, as long as the
// command runs.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Running } from "../../support/cli/sett-process.ts";
import { startSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});
afterAll(async () => await at?.[Symbol.asyncDispose]());

/** The address that it prints, in two: where the API is, and the token. */
async function pageOf(running: Running): Promise<{ url: string; token: string }> {
  await running.untilOut("\n");
  const [, url = "", token = ""] =
    /^(http:\/\/127\.0\.0\.1:\d+)\/\?token=([\w-]{43})\n$/.exec(running.out()) ?? [];
  return { url, token };
}

/** On a busy machine the page may lose its Redis for a moment, and says 503 until it is back. */
async function answerOf(address: string, sent: RequestInit): Promise<Response> {
  return await waitFor("an answer other than 503", async () => {
    const answer = await fetch(address, sent);
    return answer.status !== 503 && answer;
  });
}

async function ask({ url, token }: { url: string; token: string }, path: string, body?: object) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await answerOf(`${url}${path}`, { ...sent, headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Returns what the page keeps for a token, or for the ticket of an address. */
async function sessionFor(url: string, token: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/open`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  return Object(await answer.json()).session;
}

/** Undefined while nothing answers there. */
async function statusOf(url: string): Promise<number | undefined> {
  return await fetch(`${url}/healthz`).then(
    ({ status }) => status,
    () => undefined,
  );
}

test("prints an address with a token, with which the person of git may do everything", async () => {
  await using running = at.start("ui", "--no-open");
  const page = await pageOf(running);
  const { body } = await ask(page, "/v1/instance");
  expect(body).toMatchObject({
    instance: "demo",
    me: {
      actor: "person:Ada Lovelace <ada@sett.invalid>",
      rights: ["read", "forage", "post", "answer", "budget", "approve", "control"],
    },
    repository: { head: await at.git("rev-parse", "HEAD") },
  });
  expect((await fetch(`${page.url}/v1/instance`)).status).toBe(401);
  const { status, body: goal } = await ask(page, "/v1/goals", { text: "Paint the door" });
  expect(status).toBe(201);
  expect(await at.git("rev-parse", `refs/sett/demo/${goal.id}`)).toBe(
    await at.git("rev-parse", "HEAD"),
  );
  const headers = { authorization: `Bearer ${page.token}` };
  const picture = await fetch(`${page.url}/v1/goals/${goal.id}/graph?format=svg`, { headers });
  expect([picture.status, await picture.text()]).toEqual([
    200,
    expect.stringContaining("Paint the door"),
  ]);
  await writeFile(join(at.folder, "new.txt"), "not committed\n");
  expect(await ask(page, "/v1/goals", { text: "Paint it again" })).toMatchObject({
    status: 409,
    body: { code: "workspace-dirty" },
  });
  await at.git("add", "-A");
  await at.git("commit", "--quiet", "-m", "Add a file");
});

nightly("Ctrl-C ends the page, and its token with it", async () => {
  await using running = at.start("ui", "--no-open");
  const { url } = await pageOf(running);
  running.signal("SIGINT");
  expect(await running.exited).toBe(130);
  expect(await statusOf(url)).toBeUndefined();
  await using next = at.start("ui", "--no-open", "--port", new URL(url).port);
  expect((await pageOf(next)).url).toBe(url);
  expect((await ask({ url, token: "x".repeat(43) }, "/v1/instance")).status).toBe(401);
});

nightly("the page ends also with a command that is killed", async () => {
  await using running = at.start("ui", "--no-open");
  const { url } = await pageOf(running);
  running.signal("SIGKILL");
  await waitFor("the page to end", async () => (await statusOf(url)) === undefined);
});

nightly("--as names the person on record", async () => {
  await using running = at.start("ui", "--no-open", "--as", "Grace Hopper");
  const { body } = await ask(await pageOf(running), "/v1/instance");
  expect(body.me).toMatchObject({ actor: "person:Grace Hopper" });
});

test("the token is in no environment and no argument of a process", async () => {
  await using running = at.start("ui", "--no-open");
  const { token } = await pageOf(running);
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const files = processes.flatMap((name) => [
    join("/proc", name, "environ"),
    join("/proc", name, "cmdline"),
  ]);
  const shown = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  expect(shown.some((text) => text.includes(token))).toBe(false);
});

nightly(
  "opens the browser with what this machine opens addresses with, and says so where there is nothing",
  async () => {
    const [own, opened] = [join(at.folder, ".git/bin"), join(at.folder, ".git/opened")];
    await mkdir(own);
    await symlink(Bun.which("git") ?? "", join(own, "git"));
    await using without = startSett(["ui"], { cwd: at.folder, env: { ...at.env, PATH: own } });
    await without.untilErr("Open this address in your browser.");
    await writeFile(join(own, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, {
      mode: 0o755,
    });
    await using running = startSett(["ui"], {
      cwd: at.folder,
      env: { ...at.env, PATH: `${own}:${process.env.PATH}` },
    });
    const { url, token } = await pageOf(running);
    const address = await waitFor(
      "the address",
      async () => (await readFile(opened, "utf8").catch(() => "")) || undefined,
    );
    // Every user of the machine sees the arguments of a browser: what it is given is good once.
    expect(address).not.toContain(token);
    const ticket = new URL(address).searchParams.get("token") ?? "";
    const authorization = `Bearer ${await sessionFor(url, ticket)}`;
    expect((await answerOf(`${url}/v1/instance`, { headers: { authorization } })).status).toBe(200);
    expect(await sessionFor(url, ticket)).toBeUndefined();
  },
);

nightly(
  "a Redis that was away is found again, and the page has the same address, token and session",
  async () => {
    await using running = at.start("ui", "--no-open");
    const page = await pageOf(running);
    const authorization = `Bearer ${await sessionFor(page.url, page.token)}`;
    await at.redis.kill();
    await running.untilErr("Redis does not answer. Waiting until it does …");
    await at.redis.start();
    await running.untilErr("Redis answers again, and so does the page.");
    expect((await ask(page, "/v1/instance")).status).toBe(200);
    expect((await answerOf(`${page.url}/v1/instance`, { headers: { authorization } })).status).toBe(
      200,
    );
  },
);

test("a name that only leads to this machine is no name of the page, also with its token", async () => {
  await using running = at.start("ui", "--no-open");
  const { url, token } = await pageOf(running);
  const { port } = new URL(url);
  const statusFor = async (host: string) =>
    (await fetch(`${url}/v1/instance`, { headers: { host, authorization: `Bearer ${token}` } }))
      .status;
  expect(await statusFor(`localhost:${port}`)).toBe(200);
  expect(await statusFor(`rebound.example.org:${port}`)).toBe(421);
});

test("a port that another program uses is named, and what is no port is wrong use", async () => {
  await using running = at.start("ui", "--no-open");
  const { port } = new URL((await pageOf(running)).url);
  const taken = await at.sett("ui", "--no-open", "--port", port);
  expect(taken.code).toBe(1);
  expect(taken.err).toContain(`The port ${port} cannot be used: `);
  expect(await at.sett("ui", "--port", "0")).toMatchObject({ code: 2 });
});

nightly("without a Redis it ends at once, and says why", async () => {
  await at.redis.stop();
  const { code, err } = await at.sett("ui", "--no-open");
  await at.redis.start();
  expect([code, err]).toEqual([1, expect.stringContaining("Redis")]);
});
