// The API of a team, in its container: HTTPS with a certificate of one's own, tokens with rights, a
// goal from its statement to the diff of its result, logs, and nothing secret in what the Engine
// shows.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { runSett } from "../support/cli/sett-process.ts";
import { nightly } from "../support/nightly.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { untilLogged } from "../support/sett/until-logged.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const painter = `cat > /dev/null
echo "painting the door" >&2
cd /workspace && echo painted > door.txt && git add door.txt && git commit --quiet -m "Paint the door"
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "painted"}'`;

let folder: string;
let main: SettWorkspace;
/** A linked worktree: its repository is elsewhere. */
let sett: SettWorkspace;
let port: number;
const tokens = { ci: randomBytes(32).toString("hex"), ada: randomBytes(32).toString("hex") };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-api-"));
  await certificate("first");
  await writeFile(join(folder, "ci"), `${tokens.ci}\n`);
  await writeFile(join(folder, "ada"), tokens.ada);
  port = await freePort();
  const top = `secrets: { ci: { file: ${folder}/ci }, ada: { file: ${folder}/ada } }
services:
  api:
    port: ${port}
    tls: { cert: ${folder}/cert.pem, key: ${folder}/key.pem }
    tokens:
      - { name: ci, secret: ci, may: [read, forage] }
      - { name: ada, secret: ada, may: [read, control] }
`;
  main = await SettWorkspace.create({
    ...scriptAgent("painter", painter),
    "sett.yml": settYml(
      {
        painter:
          "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n",
      },
      top,
    ),
  });
  sett = await main.worktree();
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await main?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** A self-signed one, and the file `cert.pem` that clients trust. */
async function certificate(name: string): Promise<void> {
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const files = ["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`];
  await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=${name} -addext ${names} ${files}`.quiet();
}

type As = keyof typeof tokens | "stranger";

/** Asks with curl, as a job of CI would, which trusts this certificate and no other. */
async function ask(
  as: As,
  path: string,
  body?: object,
): Promise<{ status: number; text: string; json: () => Record<string, unknown> }> {
  const token = as === "stranger" ? [] : ["-H", `Authorization: Bearer ${tokens[as]}`];
  const sent =
    body === undefined ? [] : ["-H", "Content-Type: application/json", "-d", JSON.stringify(body)];
  const url = `https://localhost:${port}${path}`;
  const said =
    await $`curl -sS --max-time 60 --cacert ${folder}/cert.pem -w ${"\n%{http_code}"} ${token} ${sent} ${url}`.text();
  const [, text = "", code = ""] = /^([\s\S]*)\n(\d+)$/.exec(said) ?? [];
  return { status: Number(code), text, json: () => JSON.parse(text) };
}

let goal: string;

test("a token may do what it has a right to, and no more; without one nothing is shown", async () => {
  expect((await ask("ci", "/v1/instance")).json()).toMatchObject({
    instance: sett.name,
    me: { name: "ci", rights: ["read", "forage"] },
    repository: { head: await sett.git("rev-parse", "HEAD") },
  });
  expect((await ask("stranger", "/v1/instance")).status).toBe(401);
  expect((await ask("ada", "/v1/goals", { text: "Paint the door" })).json()).toMatchObject({
    status: 403,
    code: "not-allowed",
  });
  expect((await ask("ci", "/v1/pause", {})).status).toBe(403);
  expect((await ask("ada", "/v1/pause", {})).status).toBe(200);
  expect((await ask("ada", "/v1/resume", {})).status).toBe(200);
});

test("a goal is stated, followed and read by HTTPS, under the token's name, and its commit has a diff", async () => {
  const posted = await ask("ci", "/v1/goals", { text: "Paint the door" });
  expect(posted.status).toBe(201);
  goal = String(posted.json().id);
  await waitFor(
    "the goal to settle",
    async () => (await ask("ci", `/v1/goals/${goal}`)).json().state === "settled",
  );
  const { items } = (await ask("ci", `/v1/artefacts?goal=${goal}&type=CodeCommit`)).json() as {
    items: { id: string }[];
  };
  const diff = await ask("ci", `/v1/artefacts/${items[0]?.id}/diff`);
  expect(diff.status).toBe(200);
  expect(diff.text).toContain("door.txt");
  const picture = await ask("ci", `/v1/goals/${goal}/graph?format=svg`);
  expect([picture.status, picture.text]).toEqual([200, expect.stringContaining("<svg")]);
  const [stated] = (await sett.events(goal)).filter(({ type }) => type === "artefact_created");
  expect(stated?.actor).toBe("person:ci");
  // The repository has the goal's name, and no commit of an agent: `sett hoard` fetches those.
  expect(await sett.git("for-each-ref", "--format=%(refname)", `refs/sett/${sett.name}/`)).toBe(
    `refs/sett/${sett.name}/${goal}`,
  );
});

nightly(
  "a clone elsewhere brings its commit without a push, and gets what came of it",
  async () => {
    const clone = join(folder, "clone");
    const git = async (...words: string[]) =>
      (await $`git -c user.name=Ada -c user.email=ada@example.org ${words}`.quiet().text()).trim();
    await git("clone", "--quiet", sett.folder, clone);
    await writeFile(join(clone, "far.txt"), "from afar\n");
    await git("-C", clone, "add", "far.txt");
    await git("-C", clone, "commit", "--quiet", "-m", "Far");
    const env = {
      ...{ SETT_API: `https://localhost:${port}`, SETT_API_TOKEN: tokens.ci },
      NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
    };
    const far = await runSett(["forage", "--goal", "Paint from afar", "--watch"], {
      cwd: clone,
      env,
    });
    expect({ code: far.code, err: far.err }).toMatchObject({ code: 0 });
    const paintedBy = async (path: string) =>
      await git(
        "-C",
        path,
        "log",
        "--format=%s",
        `--glob=refs/sett/${sett.name}`,
        "--",
        "door.txt",
      );
    // Both may be of the same second: what came of it is what has it as its ancestor.
    const after = ["--ancestry-path", `--glob=refs/sett/${sett.name}`, "^HEAD"];
    const tip = await git("-C", clone, "rev-list", "--max-count=1", ...after);
    const files = await git("-C", clone, "ls-tree", "-r", "--name-only", tip);
    expect(files.split("\n")).toEqual(expect.arrayContaining(["door.txt", "far.txt"]));
    // A clone that has not brought it gets it with the result, and so does the instance's machine.
    const other = join(folder, "other");
    await git("clone", "--quiet", "--no-local", sett.folder, other);
    expect(await runSett(["hoard"], { cwd: other, env })).toMatchObject({ code: 0, err: "" });
    expect(await paintedBy(other)).toContain("Paint the door");
    const begin = (await sett.git("fsck", "--connectivity-only", "--no-dangling")).trim();
    expect(begin).toBe("");
    expect(await sett.need("hoard")).toContain("Paint from afar");
    const goal = far.out.trim();
    const commit = await git("-C", clone, "rev-parse", "HEAD");
    expect(await sett.git("rev-parse", `refs/sett/${sett.name}/${goal}`)).toBe(commit);
    await sett.git("fsck", "--connectivity-only", "--no-dangling");
  },
);

test("the log of an agent is read by way of the reader, which alone has the Engine's socket", async () => {
  const printed = "painting the door";
  await untilLogged(sett, "painter", [printed]);
  const log = await ask("ci", "/v1/agents/painter/logs?tail=500");
  expect([log.status, log.text]).toEqual([200, expect.stringContaining(printed)]);
  expect((await ask("ci", "/v1/agents/coder/logs")).status).toBe(404);
  const sources = async (part: string) =>
    (
      await $`docker inspect --format ${"{{range .Mounts}}{{.Source}} {{.RW}}\n{{end}}"} sett-${sett.name}-${part}`.text()
    ).trim();
  expect(await sources("api")).not.toContain("docker.sock");
  expect(await sources("log-reader")).toContain("docker.sock");
  const network =
    await $`docker inspect --format ${"{{.HostConfig.NetworkMode}}"} sett-${sett.name}-log-reader`.text();
  expect(network.trim()).toBe("none");
});

nightly(
  "of the repository it writes the names of its goals, and what agents see, alone",
  async () => {
    const within = async (...words: string[]) =>
      (await $`docker exec sett-${sett.name}-api ${words}`.quiet().nothrow()).exitCode;
    const common = await sett.git("rev-parse", "--path-format=absolute", "--git-common-dir");
    const writes = (path: string) => within("/bin/sh", "-c", `: > ${path}`);
    expect(await writes(`${common}/refs/sett/${sett.name}/.probe`)).toBe(0);
    expect(await writes(`${common}/sett/objects/${sett.name}/.probe`)).toBe(0);
    for (const place of [
      "config",
      "HEAD.lock",
      "hooks/post-commit",
      "refs/heads/evil",
      "objects/evil",
      "refs/sett/evil",
    ])
      expect(await writes(`${common}/${place}`)).not.toBe(0);
    expect(await within("/bin/sh", "-c", `: < ${sett.folder}/sett.yml`)).not.toBe(0);
    await sett.git("fsck", "--no-dangling");
    await sett.git("gc", "--quiet", "--prune=now");
    // A clean-up packs the names, and must not take their folder from the container.
    expect((await ask("ci", "/v1/goals", { text: "Paint it again" })).status).toBe(201);
  },
);

test("no token and no key is in what the Engine shows of the instance, nor in a log", async () => {
  const ids = (await $`docker ps -aq --filter label=dev.sett.instance=${sett.name}`.text())
    .trim()
    .split("\n");
  const shown = await $`docker inspect ${ids}`.text();
  const logs = await Promise.all(ids.map((id) => $`docker logs ${id} 2>&1`.quiet().text()));
  const key = await $`sed -n 2p ${folder}/key.pem`.text();
  for (const secret of [tokens.ci, tokens.ada, key.trim()])
    expect([shown, ...logs].join("\n").includes(secret)).toBe(false);
});

nightly("after a restart of its container it has its certificate still", async () => {
  await $`docker restart --time 2 sett-${sett.name}-api`.quiet();
  await waitFor(
    "the API to answer again",
    async () => (await ask("ci", "/healthz").catch(() => undefined))?.status === 200,
  );
});

nightly("a changed token replaces the API alone, and so does a new certificate", async () => {
  tokens.ci = randomBytes(32).toString("hex");
  await writeFile(join(folder, "ci"), tokens.ci);
  expect(await sett.need("up")).toMatch(
    /replaced api; kept redis, orchestrator, log-reader, painter$/m,
  );
  expect((await ask("ci", "/v1/instance")).status).toBe(200);
  await certificate("second");
  expect(await sett.need("up")).toMatch(
    /replaced api; kept redis, orchestrator, log-reader, painter$/m,
  );
  expect((await ask("ci", "/v1/instance")).status).toBe(200);
  expect(await sett.need("up")).toContain("nothing has changed");
});

nightly(
  "sett list and sett logs know it, and without `services.api` the next sett up removes it with all that it had",
  async () => {
    expect(await sett.need("logs", "api", "--tail", "5")).toContain("API started");
    const settings = settYml({
      painter:
        "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n",
    });
    await sett.write({ "sett.yml": settings });
    expect(await sett.need("up")).toMatch(/stopped (?:api, log-reader|log-reader, api)/);
    const volumes = (
      await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name}`.text()
    )
      .trim()
      .split("\n");
    expect(volumes.filter((name) => /\.(?:api|logs)$/.test(name))).toEqual([]);
  },
);

nightly("a certificate whose key is another one's is refused before anything starts", async () => {
  await using other = await SettWorkspace.create({
    ...scriptAgent("painter", painter),
    "sett.yml": settYml(
      { painter: "" },
      `secrets: { ci: { file: ${folder}/ci } }\nservices: { api: { tls: { cert: ${folder}/cert.pem, key: ${folder}/other.pem }, tokens: [{ name: ci, secret: ci, may: [read] }] } }\n`,
    ),
  });
  await $`openssl ecparam -name prime256v1 -genkey -noout -out ${folder}/other.pem`.quiet();
  const { code, err } = await other.sett("up", "--name", other.name);
  expect([code, err]).toEqual([2, expect.stringContaining("is not the key of the certificate")]);
  expect(await other.leftOvers()).toEqual([]);
});
