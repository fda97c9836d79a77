// The live side: the log followed through a Redis that dies, and a goal followed to its rest by a
// real orchestrator and a real cub.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SettEvent } from "../../../lib/model/event.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { settBinary } from "../../support/process/compiled.ts";
import { type ServiceProcess, startService } from "../../support/process/service-process.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

const parse = (lines: string): SettEvent[] =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("sett watch", () => {
  let at: Workspace;

  beforeAll(async () => {
    at = await Workspace.create();
    await using board = await at.board();
    await board.registerAgents([sampleAgent("coder")], "person:Ada", { exact: false });
    for (let n = 0; n < 3; n += 1) await board.createArtefact(sampleArtefact(), "hand");
  });

  afterAll(async () => {
    await at[Symbol.asyncDispose]();
  });

  test("shows all past events, then each new one, through the death of Redis, without a gap or a repeat; Ctrl-C ends it with 130", async () => {
    await using running = at.start("watch", "-o", "jsonl");
    const seen = (count: number) =>
      waitFor(`${count} events`, () => parse(running.out()).length >= count);
    await seen(4);
    await using board = await at.board();
    await board.createArtefact(sampleArtefact(), "hand");
    await seen(5);
    await at.redis.kill();
    await running.untilErr("Redis does not answer. Waiting");
    await at.redis.start();
    await using after = await at.board();
    await after.createArtefact(sampleArtefact(), "hand");
    await running.untilErr("Redis answers again.");
    await seen(6);
    running.signal("SIGINT");
    expect(await running.exited).toBe(130);
    const all = parse(await at.need("watch", "--no-follow", "-o", "jsonl"));
    expect(parse(running.out())).toEqual(all);
    expect(new Set(all.map(({ id }) => id)).size).toBe(6);
  }, 120_000);

  test("filters by type, by agent, by goal and by time", async () => {
    const past = async (...words: string[]) =>
      parse(await at.need("watch", "--no-follow", "-o", "jsonl", ...words));
    const all = await past();
    expect((await past("--type", "agent_registered")).map(({ agent }) => agent)).toEqual([
      agentName("coder"),
    ]);
    expect(await past("--type", "agent_registered,bid_placed", "--agent", "coder")).toHaveLength(1);
    const [, second] = all;
    expect(await past("--goal", second?.goal_id?.slice(0, 8) ?? "")).toEqual(
      second === undefined ? [] : [second],
    );
    expect(await past("--since", second?.id ?? "")).toEqual(all.slice(2));
    for (const since of ["1h", "1h ago", "400d"]) expect(await past("--since", since)).toEqual(all);
    expect(await past("--since", new Date(Date.now() + 60_000).toISOString())).toEqual([]);
    expect(await past("--since", second?.time ?? "")).toEqual(
      all.filter(({ time }) => time >= (second?.time ?? "")),
    );
  }, 120_000);

  test("reports what it cannot read and goes on", async () => {
    await using board = await at.board();
    const end = await board.endOfEvents();
    const write = (...words: string[]) =>
      at.redis.cli("XADD", `sett:${board.instance}:events`, "*", ...words);
    await write("type", "claim_dreamt", "event", '{"actor":"agent:coder"}');
    await write("hello", "there");
    await board.createArtefact(sampleArtefact(), "hand");
    const lines = (await at.need("watch", "--no-follow", "--since", end)).trim().split("\n");
    expect(lines[0]).toContain(
      "cannot be read (type claim dreamt): this version of Sett knows no such type",
    );
    expect(lines[1]).toContain("cannot be read (without a type): what it holds is no event");
    expect(lines[2]).toContain("posts the goal");
  }, 120_000);

  test("refuses what it does not know, with a suggestion", async () => {
    const type = await at.sett("watch", "--type", "bid-plced");
    expect(type.code).toBe(2);
    expect(type.err).toContain("Did you mean bid_placed?");
    const since = await at.sett("watch", "--no-follow", "--since", "yesterday");
    expect(since.code).toBe(2);
    expect(since.err).toContain("10m");
    const agent = await at.sett("watch", "--no-follow", "--agent", "codr");
    expect(agent).toMatchObject({ code: 0, out: "" });
    expect(agent.err).toContain("coder");
  });

  test("prints a line for each event for people, and ends quietly when its reader has left", async () => {
    const lines = (await at.need("watch", "--no-follow")).trimEnd().split("\n");
    expect(lines).toHaveLength(parse(await at.need("watch", "--no-follow", "-o", "jsonl")).length);
    const script = `"${settBinary}" watch -o jsonl | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const piped = Bun.spawn(["bash", "-c", script], {
      cwd: at.folder,
      env: { PATH: process.env.PATH ?? "", ...at.env },
      stderr: "pipe",
    });
    await using board = await at.board();
    // The pipe breaks with the first write after the reader has gone.
    await waitFor("watch to end", async () => {
      if (piped.exitCode !== null) return true;
      await board.createArtefact(sampleArtefact(), "hand");
      return false;
    });
    expect(await new Response(piped.stderr).text()).toBe("");
    expect((await new Response(piped.stdout).text()).trimEnd().split("\n").at(-1)).toBe("0");
  }, 120_000);
});

describe("sett forage --watch", () => {
  let at: Workspace;
  let folder: string;
  const services: ServiceProcess[] = [];

  beforeAll(async () => {
    [at, folder] = await Promise.all([Workspace.create(), mkdtemp(join(tmpdir(), "sett-agent-"))]);
    const tool = `work=$(cat)
      case "$work" in
        *'"payload":"fail"'*) echo broken >&2; exit 3 ;;
        *'"payload":"end"'*) echo '{"structural_type":"Terminal","artefact_type":"End","artefact_payload":"","summary":"the end"}' ;;
        *'"payload":"hang"'*) sleep 600 ;;
        *) echo '{"artefact_type":"Echo","artefact_payload":"well","summary":"echoed"}' ;;
      esac`;
    await writeFile(join(folder, "tool.sh"), tool);
    const env = { ...at.env, SETT_HEALTH_PORT: "0" };
    services.push(startService("orchestrator", env));
    services.push(
      startService("cub", {
        ...env,
        SETT_AGENT_NAME: "coder",
        SETT_AGENT_COMMAND: JSON.stringify(["sh", join(folder, "tool.sh")]),
      }),
    );
    await waitFor("the agent to be there", async () => (await at.need("status")).includes("idle"));
  }, 120_000);

  afterAll(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test("shows the goal's events to its rest, and exits with its state", async () => {
    const { code, out, err } = await at.sett("forage", "--watch", "--goal", "echo");
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9a-f-]{36}\n$/);
    const parts = [
      "posts the goal",
      "opens claim",
      "notes the bids",
      "grants",
      "works",
      "posts Echo",
      "completes",
      "is settled",
    ];
    const places = parts.map((text) => err.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(err.match(/completes claim/g)).toHaveLength(2);
    expect(err).toContain("“echoed”");
  });

  test("exits with 3 when the goal failed, and names the Failure", async () => {
    const { code, err } = await at.sett("forage", "--watch", "--goal", "fail");
    expect(code).toBe(3);
    expect(err).toMatch(/Goal \w{8} failed\./);
    expect(err).toMatch(/sett unearth [0-9a-f]{8}/);
  });

  test("leads to the result, and not to a check of it that came later", async () => {
    const stop = new AbortController();
    await using board = await at.board();
    const registration = sampleAgent("checker", { bids: [{ on: "Echo", bid: "review" }] });
    await board.registerAgents([registration], "person:Ada", { exact: false });
    const approval = { structural_type: "Review", type: "Review", payload: "{}" } as const;
    const work = () => approval;
    playAgent(board, "checker", { bid: () => undefined, work }, stop.signal).catch(() => {});
    try {
      const { code, err } = await at.sett("forage", "--watch", "--goal", "checked");
      expect([code, err.includes("checker passed")]).toEqual([0, true]);
      const [, made] = /result +Echo (\w{8})/.exec(err) ?? [];
      expect(err.trimEnd()).toEndWith(`sett unearth ${made}`);
    } finally {
      stop.abort();
    }
  });

  test("says in JSON how it ended", async () => {
    const { code, out } = await at.sett("forage", "--watch", "--json", "--goal", "end");
    expect(code).toBe(0);
    const event = JSON.parse(out);
    expect(event).toMatchObject({ state: "achieved", summary: "end" });
    expect(event.artefacts).toHaveLength(2);
    expect(event.artefacts[0]).toBe(event.id);
  });

  nightly(
    "survives the death of Redis, and an interruption leaves the goal to the agents",
    async () => {
      await using running = at.start("forage", "--watch", "--goal", "hang");
      await running.untilErr("works");
      await at.redis.kill();
      await running.untilErr("Redis does not answer. Waiting");
      await at.redis.start();
      await running.untilErr("Redis answers again.");
      running.signal("SIGINT");
      expect(await running.exited).toBe(130);
      expect(running.err()).toContain("Work on the goal goes on. To follow it");
      const { goals } = JSON.parse(await at.need("status", "--json"));
      const goal = goals.find(({ id }: { id: string }) => id === running.out().trim());
      expect(goal).toMatchObject({
        state: "running",
        open_claims: [{ status: "pending_exclusive" }],
        waiting_for: [{ kind: "work", agent: "coder" }],
      });
    },
    120_000,
  );
});

test("a goal that no agent wants exits with 1 and says why, and where to look", async () => {
  await using at = await Workspace.create();
  await using _orchestrator = startService("orchestrator", { ...at.env, SETT_HEALTH_PORT: "0" });
  const { code, out, err } = await at.sett("forage", "--watch", "--goal", "Paint the door");
  expect(code).toBe(1);
  expect(err).toContain("is stalled.");
  expect(err).toContain("no agent bid anything other than `ignore`");
  expect(err).toContain("`bids`");
  expect(err).toContain("sett status");
  expect(err).toContain(`sett watch --no-follow --goal ${out.slice(0, 8)}`);
  expect(await at.need("status")).toContain("No agent worked on it");
}, 120_000);
