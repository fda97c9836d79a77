// sett ui beside a whole sett: with containers, also when its Redis gets another port, and without
// them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { startSett } from "../support/cli/sett-process.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const painter = `cat > /dev/null
echo "painting the door" >&2
cd /workspace && echo painted > door.txt && git add door.txt && git -c user.name=P -c user.email=p@sett.invalid commit --quiet -m "Paint the door"
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "painted"}'`;
const bids =
  "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n";

type Page = { url: string; token: string };

async function pageOf(running: ReturnType<typeof startSett>): Promise<Page> {
  await running.untilOut("\n");
  const [, url = "", token = ""] =
    /^(http:\/\/127\.0\.0\.1:\d+)\/\?token=([\w-]{43})\n$/.exec(running.out()) ?? [];
  return { url, token };
}

async function ask({ url, token }: Page, path: string, body?: object) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { ...sent, headers });
  return { status: answer.status, text: await answer.text() };
}

const json = ({ text }: { text: string }) => JSON.parse(text) as Record<string, unknown>;

/** A goal of the painter, from its statement to the diff of its result and the log. */
async function paintAndRead(page: Page): Promise<void> {
  const posted = await ask(page, "/v1/goals", { text: "Paint the door" });
  expect(posted.status).toBe(201);
  const goal = String(json(posted).id);
  await waitFor(
    "the goal to settle",
    async () => json(await ask(page, `/v1/goals/${goal}`)).state === "settled",
  );
  const { items } = json(await ask(page, `/v1/artefacts?goal=${goal}&type=CodeCommit`)) as {
    items: { id: string }[];
  };
  expect((await ask(page, `/v1/artefacts/${items[0]?.id}/diff`)).text).toContain("door.txt");
  expect((await ask(page, "/v1/agents/painter/logs")).text).toContain("painting the door");
}

test("with containers it reads what the instance has, also when Redis starts again at another port", async () => {
  await using sett = await SettWorkspace.create({
    ...scriptAgent("painter", painter),
    "sett.yml": settYml({ painter: bids }),
  });
  await sett.up();
  await using running = startSett(["ui", "--no-open"], {
    cwd: sett.folder,
    env: { DOCKER_HOST: process.env.DOCKER_HOST ?? "" },
  });
  const page = await pageOf(running);
  await paintAndRead(page);
  const portOf = async () => (await $`docker port sett-${sett.name}-redis 6379`.text()).trim();
  const before = await portOf();
  await $`docker restart --time 20 sett-${sett.name}-redis`.quiet();
  await running.untilErr("Redis answers again, and so does the page.");
  expect(await portOf()).not.toBe(before);
  expect((await ask(page, "/v1/instance")).status).toBe(200);
  await sett.need("down", "--timeout", "1s");
  expect(await running.exited).toBe(1);
  expect(running.err()).toContain("is down. Its blackboard is kept.");
});

describe("without containers", () => {
  let sett: ProcessSett;
  let folder: string;
  let port: number;
  const token = randomBytes(32).toString("hex");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sett-ui-"));
    await writeFile(join(folder, "ci"), token);
    const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
    const files = ["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`];
    await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=x -addext ${names} ${files}`.quiet();
    port = await freePort();
    const api = `port: ${port}, tls: { cert: ${folder}/cert.pem, key: ${folder}/key.pem }, tokens: [{ name: ci, secret: ci, may: [read, forage] }]`;
    sett = await ProcessSett.create(
      `version: '1.0'\nsecrets: { ci: { file: ${folder}/ci } }\nagents:\n  painter:\n    image: none:1\n    command: ["./paint.sh"]\n${bids}services: { api: { ${api} } }\n`,
      { "paint.sh": `#!/bin/sh\n${painter.replace("cd /workspace && ", "")}` },
    );
    await sett.up();
  });

  afterAll(async () => {
    await sett?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test("the page does the same as with them", async () => {
    await using running = startSett(["ui", "--no-open"], {
      cwd: sett.folder,
      env: sett.environment,
    });
    await paintAndRead(await pageOf(running));
  });

  test("`services.api` is a process with the same certificate and tokens", async () => {
    const curl = async (path: string) =>
      await $`curl -sS --cacert ${folder}/cert.pem -H ${`Authorization: Bearer ${token}`} https://localhost:${port}${path}`.text();
    expect(JSON.parse(await curl("/v1/instance"))).toMatchObject({
      instance: sett.name,
      me: { name: "ci" },
    });
    expect(await curl("/v1/agents/orchestrator/logs")).toContain("Orchestrator started");
    expect(await sett.need("list")).toContain("running");
    expect(await sett.need("up", "--runtime", "process")).toContain("nothing has changed");
  });
});
