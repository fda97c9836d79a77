// Scalable agents: a controller that bids and a container for each grant, in real containers.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { startEngineProxy } from "../support/docker/engine-proxy.ts";
import { nightly } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const answer = (type: string) =>
  `jq -n '{artefact_type: "${type}", artefact_payload: env.HOSTNAME, summary: "done"}'`;

const gate = "until [ -e /git/exchange/go ]; do sleep 0.1; done";
const openGate = (sett: SettWorkspace) =>
  sett.write({ [`.git/sett/exchange/${sett.name}/go`]: "" });

/** One scalable agent, whose tool waits at the `gate`, or not at all. */
async function scalable(
  script: string,
  more = "",
  env: Record<string, string> = {},
): Promise<SettWorkspace> {
  const sett = await SettWorkspace.create({
    ...scriptAgent("tester", script),
    "sett.yml": settYml({
      tester: `    replicas: 2\n    strategy: fresh_per_call\n    bids:\n      - { on: GoalDefined, bid: exclusive }\n${more}`,
    }),
  });
  sett.env = env;
  await sett.commit("Add a sett");
  await sett.up();
  return sett;
}

const workersOf = async ({ name }: SettWorkspace) =>
  (
    await $`docker ps -a --filter label=dev.sett.instance=${name} --filter label=dev.sett.component=worker --format ${"{{.Names}} {{.State}}"}`.text()
  )
    .split("\n")
    .filter((line) => line !== "");

test("each grant is worked on by a container of its own, two at a time, which is then gone; its log is kept", async () => {
  await using sett = await scalable(`${gate}\n${answer("Report")}`);
  const goals = await Promise.all(["a", "b", "c"].map((goal) => sett.forage(goal)));
  const count = async (type: string) =>
    (await sett.need("watch", "--no-follow", "-o", "jsonl", "--type", type)).split("\n").length - 1;
  await waitFor(
    "all to be queued, and two begun",
    async () => (await count("grant_queued")) === 3 && (await count("grant_started")) === 2,
  );
  const workers = { at_work: 2, of: 2, claim_ids: [expect.any(String), expect.any(String)] };
  expect(JSON.parse(await sett.need("status", "--json")).agents[0]).toMatchObject({
    state: "working",
    workers,
  });
  expect(await workersOf(sett)).toHaveLength(2);
  await openGate(sett);
  let most = 0;
  await waitFor(
    "all results",
    async () => {
      const running = (await workersOf(sett)).filter((line) => line.endsWith("running"));
      most = Math.max(most, running.length);
      const status = JSON.parse(await sett.need("status", "--json"));
      return status.goals.every((goal: { state: string }) => goal.state === "settled");
    },
    { everyMs: 200 },
  );
  expect(most).toBeLessThanOrEqual(2);
  const { agents } = JSON.parse(await sett.need("status", "--json"));
  expect(agents[0]).toMatchObject({ state: "idle", workers: { at_work: 0, of: 2, claim_ids: [] } });
  const results = (await Promise.all(goals.map((goal) => sett.artefacts(goal)))).map(
    ([, result]) => result,
  );
  expect(results.map((result) => result?.type)).toEqual(Array(3).fill("Report"));
  // Each in a container of its own.
  expect(new Set(results.map((result) => result?.payload)).size).toBe(3);
  await waitFor("the workers to be gone", async () => (await workersOf(sett)).length === 0);
  const log = await sett.need("logs", "tester");
  expect(log.match(/"msg":"Created artefact"/g)).toHaveLength(3);
  expect(log).toContain('"msg":"Cub started"');
});

nightly(
  "the starter alone has the engine's socket, and is no root; the orchestrator can do no more than ask it for workers",
  async () => {
    await using sett = await scalable(answer("Report"));
    const inspect = async (part: string) =>
      JSON.parse(await $`docker inspect sett-${sett.name}-${part}`.text())[0];
    const mountsOf = async (part: string) =>
      (await inspect(part)).Mounts.map(
        (mount: { Destination: string }) => mount.Destination,
      ) as string[];
    const starter = await inspect("starter");
    expect(starter).toMatchObject({
      Config: { User: "10001:10001" },
      HostConfig: { NetworkMode: "none", ReadonlyRootfs: true },
    });
    expect(await mountsOf("starter")).toContain("/var/run/docker.sock");
    for (const part of ["orchestrator", "agent-tester", "redis"])
      expect((await mountsOf(part)).filter((path) => path.includes("docker.sock"))).toEqual([]);
    expect(await mountsOf("orchestrator")).toContain("/run/sett/starter");
    expect(await mountsOf("agent-tester")).not.toContain("/run/sett/starter");
    // The templates have passwords of Redis; the orchestrator's environment has its own alone.
    const { Config } = await inspect("orchestrator");
    expect(Config.Env.filter((line: string) => /agent-tester:|REDIS_URL/.test(line))).toHaveLength(
      1,
    );
    expect(await sett.need("list")).toContain("running");
  },
);

nightly(
  "the files of a commit are written once for all workers; each has what it writes for itself, and only that",
  async () => {
    await using sett = await scalable(
      `git status --porcelain --ignored > /tmp/status\ncat README.md >> /tmp/status\necho own > own\n${gate}\njq -n --rawfile text /tmp/status '{artefact_type: "Report", artefact_payload: $text, summary: "done"}'`,
    );
    const goals = await Promise.all(["a", "b"].map((goal) => sett.forage(goal)));
    const volumes = async (more: string) =>
      (await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name}`.text())
        .split("\n")
        .filter((name) => name.includes(more));
    const written = async (upper: string) =>
      (
        await $`docker run --rm -v ${upper}:/u:ro --entrypoint find sett/agent-base:latest /u/upper -type f -not -path ${"*/.git/*"}`.text()
      ).trim();
    await waitFor("two workers to have written", async () => {
      const uppers = await volumes(".upper-");
      const found = await Promise.all(uppers.map(written));
      return found.filter((files) => files === "/u/upper/own").length === 2;
    });
    expect(await volumes(".over-")).toHaveLength(2);
    expect(await volumes(".layer.")).toHaveLength(1);
    await openGate(sett);
    const reported = async (goal: string) =>
      (
        await waitFor(
          "the report",
          async () => (await sett.artefacts(goal)).find(({ type }) => type === "Report"),
          { everyMs: 200 },
        )
      ).payload;
    for (const goal of goals) expect(await reported(goal)).toBe("# A repository\n");
    // At the next commit only what differs is written.
    await sett.write({ "README.md": "# Another\n" });
    await sett.commit("Change it");
    expect(await reported(await sett.forage("c"))).toBe("# Another\n");
    expect(await volumes(".layer.")).toHaveLength(1);
    await sett.need("down", "--volumes");
    expect(await sett.leftOvers()).toEqual([]);
  },
);

nightly("a starter that was killed is back, and the work goes on meanwhile", async () => {
  await using sett = await scalable(answer("Report"));
  await $`docker kill sett-${sett.name}-starter`.quiet();
  const goal = await sett.forage("go on");
  await $`docker start sett-${sett.name}-starter`.quiet();
  await waitFor(
    "the report",
    async () => (await sett.artefacts(goal)).find(({ type }) => type === "Report"),
    { everyMs: 200 },
  );
  expect((await sett.artefacts(goal)).map(({ structural_type }) => structural_type)).not.toContain(
    "Failure",
  );
});

nightly(
  "the starter works through a proxy of the Engine's socket that lets through what the guide says",
  async () => {
    const guide = await Bun.file(join(import.meta.dir, "../../docs/guides/workers.md")).text();
    const requests = [...guide.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`]*)`/g)].map(
      ([, line = ""]) => line,
    );
    expect(requests.length).toBeGreaterThan(10);
    await using proxy = await startEngineProxy();
    proxy.allowOnly(
      requests.map((line) => new RegExp(`^${line.replace("/NAME", "/[^/?]+")}(?:\\?|$)`)),
    );
    await using sett = await scalable(answer("Report"), "", { SETT_STARTER_SOCKET: proxy.path });
    const goal = await sett.forage("through the proxy");
    await waitFor(
      "the report",
      async () => (await sett.artefacts(goal)).find(({ type }) => type === "Report"),
      { everyMs: 200 },
    );
    await waitFor("its worker to be removed", () =>
      proxy.requests.some(({ line }) => line.startsWith("DELETE /containers/sett-")),
    );
    expect(proxy.requests.filter(({ passed }) => !passed)).toEqual([]);
    expect(proxy.requests.map(({ line }) => line)).toContainEqual(
      expect.stringMatching(/^POST \/containers\/[^/]+\/start/),
    );
  },
);

nightly(
  "a worker that is killed costs its attempt: a Failure that says how it ended, without waiting for its lease",
  async () => {
    await using sett = await scalable("sleep 600");
    const goal = await sett.forage("slow");
    const [worker] = await waitFor("a worker at work", async () => {
      const events = await sett.events(goal);
      return events.some((event) => event.type === "grant_started") && (await workersOf(sett));
    });
    await $`docker kill ${worker?.split(" ")[0]}`.quiet();
    const failure = await waitFor("the Failure", async () =>
      (await sett.artefacts(goal)).find((artefact) => artefact.structural_type === "Failure"),
    );
    expect(failure.type).toBe("AttemptLost");
    // A lease that lapses knows of no exit code.
    expect(failure.payload).toContain("exit code 137");
  },
);

nightly("with retries the next attempt is a new worker", async () => {
  await using sett = await scalable(
    `[ -e /git/exchange/go ] || exit 1\n${answer("Report")}`,
    "    retries: 10\n",
  );
  const goal = await sett.forage("try again");
  const seen = (type: string) =>
    waitFor(type, async () => {
      const events = await sett.events(goal);
      return events.some((event) => event.type === type) && events;
    });
  await seen("grant_retrying");
  await openGate(sett);
  const events = await seen("claim_completed");
  const attempts = events
    .filter((event) => event.type === "grant_started")
    .map((event) => event.actor);
  expect(attempts.length).toBeGreaterThan(1);
  expect(new Set(attempts).size).toBe(attempts.length);
  expect(JSON.parse(await sett.need("status", "--json")).goals[0].state).toBe("settled");
});

nightly(
  "a worker finds nothing of those before it in its workspace, not even what git ignores",
  async () => {
    await using sett = await SettWorkspace.create({
      ...scriptAgent(
        "tester",
        `jq -n --arg seen "$(ls -A /workspace | grep -c cache)" '{artefact_type: "Report", artefact_payload: $seen, summary: ""}'; touch /workspace/cache`,
      ),
      ".gitignore": "cache\n",
      "sett.yml": settYml({
        tester:
          "    strategy: fresh_per_call\n    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
      }),
    });
    await sett.commit("Add a sett");
    await sett.up();
    for (const text of ["one", "two"]) {
      const goal = await sett.forage(text);
      await waitFor("the result", async () => (await sett.artefacts(goal)).length === 2);
      expect((await sett.artefacts(goal))[1]?.payload).toBe("0");
    }
  },
);

nightly("an orchestrator that is killed finds its workers again", async () => {
  await using sett = await scalable(`${gate}\n${answer("Report")}`);
  const goal = await sett.forage("slow");
  await waitFor("a worker at work", async () =>
    (await sett.events(goal)).some((event) => event.type === "grant_started"),
  );
  await sett.kill("orchestrator");
  const restarts = () =>
    $`docker inspect --format ${"{{.RestartCount}}"} sett-${sett.name}-orchestrator`.text();
  await waitFor("another orchestrator", async () => Number(await restarts()) > 0);
  await openGate(sett);
  await waitFor("the result", async () => (await sett.artefacts(goal)).length === 2);
  await waitFor("the claim's end", async () =>
    (await sett.events(goal)).some((event) => event.type === "claim_completed"),
  );
  await waitFor("the worker to be gone", async () => (await workersOf(sett)).length === 0);
});

nightly(
  "workers are of the controller's image, also when its name is gone or means another; logs --follow shows what they log",
  async () => {
    await using sett = await scalable(answer("Report"));
    await $`docker image rm --force sett-${sett.name}-agent-tester:latest`.quiet();
    const following = Bun.spawn([settBinary, "logs", "-f", "tester"], {
      cwd: sett.folder,
      stdout: "pipe",
      stderr: "inherit",
    });
    try {
      const goal = await sett.forage("hello");
      await waitFor("the result", async () => (await sett.artefacts(goal))[1]?.type === "Report");
      let out = "";
      const decoder = new TextDecoder();
      for await (const bytes of following.stdout) {
        out += decoder.decode(bytes, { stream: true });
        if (
          ['"msg":"Executing tool"', '"msg":"Created artefact"'].every((line) => out.includes(line))
        )
          break;
      }
    } finally {
      following.kill("SIGINT");
      await following.exited;
    }
  },
);
