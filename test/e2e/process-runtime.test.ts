// A whole sett without a container, where no Docker Engine can be reached: the same work, the same
// records, and nothing left running.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { identify, isAlive, type ProcessId } from "../../lib/process/process-id.ts";
import { readSpec, readState } from "../../lib/runtime/process/registry.ts";
import { settOnTerminal } from "../support/cli/pseudo-terminal.ts";
import { nightly } from "../support/nightly.ts";
import { untilWritten } from "../support/redis/redis-server.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { untilLogged } from "../support/sett/until-logged.ts";
import { waitFor } from "../support/wait-for.ts";

let at: ProcessSett;
let goal: string;

/**
 * Commits what it sees of its surroundings; on the goal `wait` it writes its process id and waits.
 */
const painter = `#!/bin/sh
set -e
goal=$(jq -r .target_artefact.payload)
if [ "$goal" = wait ]; then echo $$ > "$HOME/tool.pid"; exec sleep 300; fi
if [ "$goal" = fail ]; then seq -f 'line %g' 100 >&2; exit 4; fi
if [ "$goal" = ask ]; then
  if [ -e "$HOME/asked" ]; then exit 4; fi
  touch "$HOME/asked"; echo '{"structural_type":"Question","payload":"Which colour?"}'; exit
fi
if [ "$goal" = half ]; then
  printf 'none\\rhalf' >&2; until [ -e "$HOME/go-on" ]; do sleep 0.1; done; printf '\\rall' >&2; exit 4
fi
echo painting >&2
{ pwd; env; } > surroundings
git config user.name "Release Bot"
git config user.email bot@example.invalid
git add surroundings
git commit --quiet --message "Look around" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Looked around"}'
`;

const settings = `version: '1.0'
agents:
  painter:
    build: { context: ./agents/painter }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: rw }
    environment: { COLOUR: red }
  critic:
    image: no-such-image:1
    command: ["sh", "-c", "echo '{\\"structural_type\\":\\"Terminal\\",\\"artefact_type\\":\\"Seen\\",\\"artefact_payload\\":\\"\\",\\"summary\\":\\"\\"}'"]
    bids: [{ on: CodeCommit, bid: exclusive }]
    strategy: fresh_per_call
    replicas: 2
`;

const sett = (...words: string[]) => at.sett(...words);
const need = (...words: string[]) => at.need(...words);
const git = (...words: string[]) => at.git(...words);
const processOf = (part: string) => at.processOf(part);

async function end(id: ProcessId | undefined): Promise<void> {
  // The group would be our own process group without it.
  if (id === undefined) throw new Error("It does not run.");
  process.kill(id.pid, "SIGKILL");
  await waitFor("it to have ended", () => !isAlive(id));
}

beforeAll(async () => {
  at = await ProcessSett.create(settings, {
    "agents/painter/run.sh": painter,
    "agents/painter/Dockerfile": "FROM no-such-image:1\n",
  });
  at.env = { TOKEN: "secret" };
});

afterAll(() => at[Symbol.asyncDispose]());

test("a command that neither the machine nor the folder of its Dockerfile has is refused", async () => {
  await writeFile(join(at.folder, "sett.yml"), settings.replace("/app/run.sh", "/app/other.sh"));
  const { code, err } = await sett("up", "--runtime", "process", "--name", at.name);
  expect(code).toBe(2);
  expect(err).toContain("agents.painter.command: there is no /app/other.sh on this machine");
  await git("checkout", "sett.yml");
});

nightly("where no engine answers, up names the way without one", async () => {
  const { code, err } = await sett("up", "--name", at.name);
  expect(code).toBe(1);
  expect(err).toContain("The Docker Engine does not answer");
  expect(err).toContain("sett up --runtime process");
});

test("up warns once that nothing is isolated, says what is run in place of images, and starts everything", async () => {
  const { code, out, err } = await sett("up", "--runtime", "process", "--name", at.name);
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  expect(out).toContain("redis, orchestrator, painter, critic");
  expect(err.match(/^! /gm)).toHaveLength(1);
  expect(err).toContain(
    "Nothing is isolated: agents run as you, with your files and your network.",
  );
  expect(err).toContain("These files replace programs of images: agents/painter/run.sh");
});

test("a goal becomes a commit and an end, made by commands of this machine", async () => {
  goal = (await need("forage", "--goal", "look", "--watch")).trim();
  const artefacts: Artefact[] = JSON.parse(await need("hoard", "--json", "--goal", goal));
  expect(artefacts.map(({ type }) => type)).toEqual(["GoalDefined", "CodeCommit", "Seen"]);
  const commit = await git("rev-parse", `refs/sett/${at.name}/${artefacts[1]?.id}`);
  expect(commit).toBe(String(artefacts[1]?.payload));
  const surroundings = (await git("show", `${commit}:surroundings`)).split("\n");
  expect(surroundings[0]).toBe(join(at.state, "volumes", `sett-${at.name}-workspace-painter`));
  expect(surroundings).toContain("COLOUR=red");
  expect(surroundings).toContain("SETT_AGENT_NAME=painter");
  expect(
    surroundings.filter((line) => /^(?:TOKEN|REDIS_URL|REDISCLI_AUTH|LD_LIBRARY_PATH)=/.test(line)),
  ).toEqual([]);
  // A configuration of its own changes nothing, so that no person is warned of it.
  expect(await git("log", "-1", "--format=%an <%ae> %cn <%ce>", commit)).toBe(
    "painter <painter@sett.invalid> painter <painter@sett.invalid>",
  );
  expect(await need("unearth", artefacts[1]?.id ?? "")).not.toContain("another author");
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("log", "--format=%s")).toBe("Begin");
});

test("what a command has printed beside its answer is kept, and a Failure shows its end", async () => {
  const [, commit, seen] = JSON.parse(await need("hoard", "--json", "--goal", goal)) as Artefact[];
  const streams = JSON.parse(await need("unearth", commit?.id ?? "", "--streams", "--json"));
  expect(streams).toMatchObject({ stderr: { text: "painting\n", bytes: 9 } });
  expect((await sett("unearth", seen?.id ?? "", "--streams")).err).toContain("has printed nothing");
  const { code, out, err } = await sett("forage", "--goal", "fail", "--watch", "--live");
  expect(code).toBe(3);
  expect(err).toMatch(/[0-9a-f]{8} │ line 1\n/);
  expect(err).toMatch(/[0-9a-f]{8} │ line 100\n/);
  const [, failure] = JSON.parse(
    await need("hoard", "--json", "--goal", out.trim().slice(0, 8)),
  ) as Artefact[];
  const shown = await need("unearth", failure?.id ?? "");
  expect(shown).toContain("Exit code 4 after");
  expect(shown).toContain("stderr, its last 30 lines\n  │ line 71\n");
  expect(await need("unearth", failure?.id ?? "", "--streams")).toContain("  │ line 1\n");
});

test("a line that a command has begun is at the foot of a terminal, until it has ended", async () => {
  const onTerminal = (...words: string[]) =>
    settOnTerminal([...words, "--name", at.name], {
      ...{ cwd: at.folder, columns: 100 },
      env: { ...at.environment, LANG: "C.UTF-8" },
    });
  await using watch = onTerminal("watch", "--live");
  await using forage = onTerminal("forage", "--goal", "half", "--watch", "--live");
  const shows = (text: string) => {
    const line = new RegExp(`[0-9a-f]{8} │ ${text}$`);
    return ({ rows }: { rows: readonly string[] }) => rows.some((row) => line.test(row));
  };
  await watch.showing("the begun line", shows("half"));
  await forage.showing("the begun line", shows("half"));
  await writeFile(join(at.root, "go-on"), "");
  expect(await forage.exited).toBe(3);
  await watch.showing("the whole line", shows("all"));
  for (const { screen } of [watch, forage])
    expect([shows("all")(screen), shows("half")(screen), screen.unknown]).toEqual([
      true,
      false,
      [],
    ]);
});

test("with --live a question's prompt is the last row, and there once", async () => {
  await using forage = settOnTerminal(
    ["forage", "--goal", "ask", "--watch", "--live", "--name", at.name],
    { cwd: at.folder, columns: 100, env: { ...at.environment, LANG: "C.UTF-8" } },
  );
  const prompt = "Your answer (empty: later):";
  await forage.showing("the prompt", ({ rows }) => rows.at(-1)?.trimEnd() === prompt);
  await forage.showing("whom it asks", ({ rows }) => rows.join().includes("to people"));
  await forage.showing("the prompt again", ({ rows }) => rows.at(-1)?.trimEnd() === prompt);
  expect(forage.screen.rows.filter((row) => row.includes(prompt))).toHaveLength(1);
  forage.type("red\r");
  expect(await forage.exited).toBe(3);
});

test("list, status, logs and watch show it at work", async () => {
  const { out, err } = await sett("list", "--json");
  expect(JSON.parse(out)).toMatchObject([
    { name: at.name, state: "running", runtime: "process", agents: ["critic", "painter"] },
  ]);
  expect(err).toContain("instances in containers are not shown");
  expect(await need("status")).toContain("achieved");
  await untilLogged(at, "painter", ["Created artefact"]);
  expect(await need("watch", "--no-follow", "--goal", goal, "-o", "jsonl")).toContain(
    '"claim_completed"',
  );
});

nightly(
  "a person who takes part by hand finds Redis' port with list, and the password in their own file, as docs/guides/by-hand.md says",
  async () => {
    const listed = await need("list", "--json");
    const [{ redis_port }] = JSON.parse(listed);
    const specs = new Bun.Glob("*/spec.json").scan({
      cwd: join(at.state, "processes"),
      absolute: true,
    });
    const found = (await Array.fromAsync(specs, (path) => Bun.file(path).json())).find(
      (one) => one.name === `sett-${at.name}-redis`,
    );
    const { REDISCLI_AUTH } = found.env;
    const payload =
      await $`redis-cli -p ${redis_port} HGET sett:${at.name}:artifact:${goal} payload`
        .env({ ...at.environment, REDISCLI_AUTH })
        .text();
    expect(payload.trim()).toBe("look");
    expect(listed).not.toContain(REDISCLI_AUTH);
  },
);

nightly(
  "logs --follow of a controller shows what its workers log: earlier ones, and each new one",
  async () => {
    const following = at.start("logs", "--follow", "critic");
    let out = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of following.stdout) out += decoder.decode(bytes, { stream: true });
    })();
    try {
      const created = () =>
        [...out.matchAll(/"msg":"Created artefact".*?"claim_id":"([^"]+)"/g)].map(
          ([, claim]) => claim,
        );
      await waitFor("what a worker has logged", () => created().length === 1);
      for (const text of ["look", "and look"]) {
        const before = created().length;
        await need("forage", "--goal", text, "--watch");
        await waitFor("the worker's lines", () => created().length === before + 1);
      }
      expect(new Set(created()).size).toBe(3);
      const inOrder = (text: string) => text.split("\n").toSorted().join("\n");
      await waitFor(
        "each line, once",
        async () => inOrder(out) === inOrder(await need("logs", "critic")),
        { everyMs: 100 },
      );
    } finally {
      following.kill("SIGINT");
      await reading;
      expect(await following.exited).toBe(130);
    }
  },
  300_000,
);

test("Redis refuses connections from outside, and commands without the password", async () => {
  const port = readSpec(at.placeOf("redis"))?.env.SETT_REDIS_PORT ?? "";
  const reply = await $`redis-cli -h 127.0.0.1 -p ${port} ping`.nothrow().quiet();
  expect(reply.stdout.toString() + reply.stderr.toString()).toContain("NOAUTH");
  const listening = await $`cat /proc/net/tcp /proc/net/tcp6`.text();
  const own = await Promise.all(
    ["redis", "orchestrator", "agent-painter"].map((part) => socketsOf(processOf(part)?.pid)),
  );
  const addresses = listening.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    return state === "0A" && own.flat().includes(inode) ? [local.split(":")[0]] : [];
  });
  expect(addresses).toEqual(["0100007F", "0100007F", "0100007F"]);
});

async function socketsOf(pid: number | undefined): Promise<string[]> {
  const files = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(files)).map((file) => readlink(join(files, file)).catch(() => "")),
  );
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

/** The command of an agent that has taken up a goal and will not be done with it. */
async function startWaiting(): Promise<ProcessId> {
  await rm(join(at.root, "tool.pid"), { force: true });
  await need("forage", "--goal", "wait");
  return await waitFor("the command to run", async () => {
    const text = await readFile(join(at.root, "tool.pid"), "utf8").catch(() => "");
    return text.endsWith("\n") ? identify(Number(text)) : undefined;
  });
}

nightly(
  "a cub that is killed comes back and works on; the command that it had left running is gone",
  async () => {
    const tool = await startWaiting();
    const cub = processOf("agent-painter");
    await end(cub);
    await waitFor(
      "another cub",
      () => ![undefined, cub?.pid].includes(processOf("agent-painter")?.pid),
    );
    expect(isAlive(tool)).toBe(false);
    const next = await need("forage", "--goal", "look again", "--watch");
    expect(JSON.parse(await need("hoard", "--json", "--goal", next.trim()))).toHaveLength(3);
  },
);

nightly("Redis and the orchestrator come back as well, with all that was recorded", async () => {
  const { SETT_REDIS_PORT = "", REDISCLI_AUTH = "" } = readSpec(at.placeOf("redis"))?.env ?? {};
  await untilWritten(["redis-cli", "-p", SETT_REDIS_PORT, "-a", REDISCLI_AUTH]);
  for (const part of ["redis", "orchestrator"]) {
    const before = processOf(part);
    await end(before);
    await waitFor(
      `another ${part}`,
      () => ![undefined, before?.pid].includes(processOf(part)?.pid),
    );
  }
  await waitFor("Redis to serve", async () => (await sett("status")).code === 0);
  const after = (await need("forage", "--goal", "look on", "--watch")).trim();
  for (const each of [goal, after])
    expect(JSON.parse(await need("hoard", "--json", "--goal", each))).toHaveLength(3);
});

nightly("a second up changes what has changed, and leaves the rest alone", async () => {
  const before = {
    redis: processOf("redis"),
    critic: processOf("agent-critic"),
    painter: processOf("agent-painter"),
  };
  expect(await need("up", "--name", at.name)).toContain("nothing has changed");
  await writeFile(join(at.folder, "sett.yml"), settings.replace("COLOUR: red", "COLOUR: blue"));
  expect(await need("up", "--name", at.name)).toContain(
    "replaced painter; kept redis, orchestrator, critic",
  );
  expect({ redis: processOf("redis"), critic: processOf("agent-critic") }).toEqual({
    redis: before.redis,
    critic: before.critic,
  });
  expect(processOf("agent-painter")?.pid).not.toBe(before.painter?.pid);
  const event = (
    await need("watch", "--no-follow", "-o", "jsonl", "--type", "agent_replaced")
  ).trim();
  expect(JSON.parse(event)).toMatchObject({ agent: "painter", data: { changed: "environment" } });
  expect(event).not.toContain("blue");
  await git("checkout", "sett.yml");
});

nightly(
  "a part whose supervisor was killed is shown, and up puts another in its place; its own process ends",
  async () => {
    const states = ["agent-painter", "redis"].map((part) => readState(at.placeOf(part)));
    const lone = ["agent-painter", "redis"].map(processOf);
    for (const state of states) await end(state?.supervisor);
    const [listed] = JSON.parse(await need("list", "--json"));
    expect(listed.state).toBe("3 of 5 running");
    expect(listed.containers).toContainEqual({
      name: `sett-${at.name}-redis`,
      state: "unsupervised",
    });
    expect(JSON.parse(await need("status", "--json")).agents).toHaveLength(2);
    expect(await need("up", "--name", at.name)).toContain(
      "replaced redis, painter; kept orchestrator, critic",
    );
    for (const id of lone) expect(id && isAlive(id)).toBe(false);
    expect(JSON.parse(await need("list", "--json"))[0].state).toBe("running");
  },
);

nightly(
  "a frozen agent, which runs but gives no sign of life, is replaced by up, as status says",
  async () => {
    const frozen = processOf("agent-painter");
    if (frozen === undefined) throw new Error("The painter does not run.");
    process.kill(frozen.pid, "SIGSTOP");
    const [{ redis_port }] = JSON.parse(await need("list", "--json"));
    const REDISCLI_AUTH = readSpec(at.placeOf("redis"))?.env.REDISCLI_AUTH ?? "";
    // As long ago as it would have to be waited for.
    const beat = JSON.stringify({ at: Date.now() - 60_000, state: "idle" });
    await $`redis-cli -p ${redis_port} SET sett:${at.name}:agent:painter:status ${beat}`
      .env({ ...at.environment, REDISCLI_AUTH })
      .quiet();
    expect(await need("status")).toMatch(/painter +painter +silent/);
    expect(await need("up", "--name", at.name)).toContain(
      "replaced painter; kept redis, orchestrator, critic",
    );
    expect(isAlive(frozen)).toBe(false);
    const goal = (await need("forage", "--goal", "look once more", "--watch")).trim();
    expect(JSON.parse(await need("hoard", "--json", "--goal", goal))).toHaveLength(3);
  },
  300_000,
);

nightly("the name cannot be taken in Docker as well", async () => {
  const { code, err } = await sett("up", "--name", at.name, "--runtime", "docker");
  expect(code).toBe(1);
  expect(err).toContain(`${at.name} runs as processes of this machine`);
});

test("a shell that looks for processes elsewhere begins no second instance of the name", async () => {
  const { env } = at;
  at.env = { ...env, XDG_STATE_HOME: join(at.root, "elsewhere") };
  const { code, err } = await sett("up", "--name", at.name, "--runtime", "process");
  at.env = env;
  expect([code, err]).toEqual([1, expect.stringContaining(`was up as processes of ${at.state}`)]);
  expect(err).toContain(`Set XDG_STATE_HOME=${join(at.root, "state")}, where its processes are`);
});

test("down ends everything, commands at work too, and keeps the blackboard; up goes on from it", async () => {
  await startWaiting();
  await waitFor("the command at work", () => at.stillRunning().join().includes("sleep"));
  // This includes the one whose supervisor is gone.
  await end(readState(at.placeOf("agent-critic"))?.supervisor);
  await need("down", "--timeout", "1s");
  expect(at.stillRunning()).toEqual([]);
  const [listed] = JSON.parse(await need("list", "--json"));
  expect(listed).toMatchObject({ name: at.name, state: "down" });
  // The same is true without a name: nothing begins anew beside what was kept.
  const { code, err } = await sett("up");
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(
      `This is ${at.name}, whose blackboard was kept for this repository.`,
    ),
  });
  expect(JSON.parse(await need("hoard", "--json", "--goal", goal))).toHaveLength(3);
});

test("down --volumes stops nothing while a commit on record is not to be had", async () => {
  const posted = (await need("forage", "--goal", "look again")).trim();
  // The log is read without fetching anything.
  const ends = ["--goal", posted, "--type", "claim_completed", "-o", "jsonl"];
  await waitFor("both results", async () => {
    const lines = await need("watch", "--no-follow", ...ends);
    return lines.trim().split("\n").length === 2;
  });
  const packs = join(at.folder, ".git/sett/exchange", at.name, "painter");
  const names = await readdir(packs);
  const moved = (name: string) => join(packs, `elsewhere-${name}`);
  for (const name of names) await rename(join(packs, name), moved(name));
  const { code, err } = await sett("down", "--volumes");
  for (const name of names) await rename(moved(name), join(packs, name));
  const refusal = "cannot be fetched, and --volumes would remove them. Nothing was stopped.";
  expect([code, err]).toEqual([1, expect.stringContaining(refusal)]);
  expect(JSON.parse(await need("list", "--json"))[0].state).toBe("running");
}, 300_000);

test("down --volumes leaves nothing at all", async () => {
  await need("down", "--volumes");
  expect(at.stillRunning()).toEqual([]);
  for (const kind of ["processes", "names", "volumes", "networks"])
    expect(await readdir(join(at.state, kind))).toEqual([]);
  expect(await readdir(join(at.folder, ".git"))).not.toContain("sett");
  expect(await git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});
