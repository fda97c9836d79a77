// A goal that a real orchestrator and real cubs bring to its end, as a real collector of
// OpenTelemetry receives it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { spanIdOf, spanKeys, traceIdOf } from "../../../lib/model/trace-ids.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { startCub } from "../../support/cub/cub-process.ts";
import { type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import {
  type Collector,
  type ReceivedSpan,
  startCollector,
} from "../../support/telemetry/collector.ts";
import { startTelemetryProgram } from "../../support/telemetry/telemetry-program.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Clan, type Member } from "../../support/world/clan.ts";
import { placeInRedis } from "../../support/world/redis-place.ts";

let redis: RedisServer;
let collector: Collector;

beforeAll(async () => {
  [redis, collector] = await Promise.all([startRedisServer(), startCollector()]);
});

afterAll(async () => {
  await collector[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** Prints its own TRACEPARENT as the payload of an artefact of this type. */
const tellTrace = (type: string, structural = "Standard") =>
  `cat >/dev/null; printf '{"structural_type":"${structural}","artefact_type":"${type}","artefact_payload":"%s","summary":""}' "$TRACEPARENT"`;

async function clanOf(members: Record<string, Member>) {
  const place = placeInRedis(redis);
  const clan = new Clan(place, await place.open());
  await clan.join(members);
  await clan.startOrchestrator();
  const env = { SETT_INSTANCE_NAME: place.instance, REDIS_URL: redis.url };
  return { clan, env };
}

const cubOf = (env: Record<string, string>, agent: string, script: string) =>
  startCub({
    ...env,
    SETT_AGENT_NAME: agent,
    SETT_AGENT_COMMAND: JSON.stringify(["/bin/sh", "-c", script]),
    SETT_OBJECTS_DIR: "/nowhere",
    // The parent belongs to a trace that is not the goal's.
    TRACEPARENT: "00-11111111111111111111111111111111-2222222222222222-01",
  });

const isGoal = ({ name }: ReceivedSpan) => name === "goal";

/** The tree as words: `goal > claim GoalDefined > tool coder`. */
function pathOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  if (parent !== undefined) return `${pathOf(parent, spans)} > ${span.name}`;
  return (span.parentSpanId ?? "") === "" ? span.name : `? > ${span.name}`;
}

const pathsOf = (spans: readonly ReceivedSpan[]) =>
  spans.map((span) => pathOf(span, spans)).toSorted();

describe("traces", () => {
  test("a collector receives the whole tree of a goal, and each command knows the span of its own run", async () => {
    const { clan, env } = await clanOf({
      coder: { bids: [{ on: "GoalDefined", bid: "exclusive" }] },
      packer: { bids: [{ on: "Code", bid: "exclusive" }] },
    });
    await using _clan = clan;
    await using _coder = cubOf(env, "coder", tellTrace("Code"));
    await using _packer = cubOf(env, "packer", tellTrace("Package", "Terminal"));
    await using program = await startTelemetryProgram({
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
    const goal = await clan.postGoal();
    const code = await clan.made(goal, ({ type }) => type === "Code");
    const call = await callModel(clan, code);
    const made = await clan.made(goal, ({ type }) => type === "Package");
    const traceId = traceIdOf(goal.id);
    const spans = await collector.trace(traceId, isGoal, "the span of the goal");
    expect(pathsOf(spans)).toEqual([
      "goal",
      "goal > claim Code",
      "goal > claim Code > bids",
      "goal > claim Code > grant packer",
      "goal > claim Code > grant packer > attempt packer",
      "goal > claim Code > grant packer > attempt packer > tool packer",
      "goal > claim GoalDefined",
      "goal > claim GoalDefined > bids",
      "goal > claim GoalDefined > grant coder",
      "goal > claim GoalDefined > grant coder > attempt coder",
      "goal > claim GoalDefined > grant coder > attempt coder > tool coder",
      "goal > claim GoalDefined > grant coder > attempt coder > tool coder > chat claude-sonnet",
    ]);
    for (const artefact of [code, made]) {
      const tool = spanIdOf(spanKeys.tool(artefact.claim_id, artefact.produced_by_agent, 1));
      expect(artefact.payload).toBe(`00-${traceId}-${tool}-01`);
      expect(spans.find(({ spanId }) => spanId === tool)?.name).toBe(
        `tool ${artefact.produced_by_agent}`,
      );
    }
    const find = (name: string) => spans.find((span) => span.name === name);
    expect(find("goal")).toMatchObject({
      status: {},
      attributes: {
        "sett.goal.id": goal.id,
        "sett.goal.state": "achieved",
        "sett.goal.artefacts": 3,
      },
      resource: {
        "service.name": "sett",
        "service.version": packageJson.version,
        "sett.instance": env.SETT_INSTANCE_NAME,
      },
    });
    expect(find("claim Code")?.links).toEqual([
      expect.objectContaining({ spanId: find("tool coder")?.spanId }),
    ]);
    expect(find("bids")?.events.map(({ name }) => name)).toEqual(["bid", "bid"]);
    expect(find("chat claude-sonnet")).toMatchObject({
      spanId: spanIdOf(spanKeys.modelCall(call)),
      attributes: {
        "gen_ai.provider.name": "anthropic",
        "gen_ai.usage.input_tokens": 1200,
        "sett.call.usd": 0.0125,
      },
    });
    expect(JSON.stringify(spans)).not.toContain(goal.payload === "" ? "?" : `"${goal.payload}"`);
    expect(await program.stop()).toBe(0);
    expect(program.log().at(-1)?.msg).toBe("API stopped");
  });

  test("an attempt that fails is an error of its type, and the one that succeeds is none", async () => {
    const { clan, env } = await clanOf({
      coder: { retries: 1, bids: [{ on: "GoalDefined", bid: "exclusive" }] },
    });
    await using _clan = clan;
    const flag = `/tmp/${randomUUID()}`;
    const script = `if [ ! -e ${flag} ]; then touch ${flag}; cat >/dev/null; exit 3; fi; rm ${flag}; ${tellTrace("Done", "Terminal")}`;
    await using _coder = cubOf(env, "coder", script);
    await using _program = await startTelemetryProgram({
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
    const goal = await clan.postGoal();
    const spans = await collector.trace(traceIdOf(goal.id), isGoal, "the span of the goal");
    const attempts = spans.filter(({ name }) => name === "attempt coder");
    expect(
      attempts.map(({ status, attributes }) => [status.code ?? 0, attributes["error.type"]]),
    ).toEqual([
      [2, "ToolExecutionFailure"],
      [0, undefined],
    ]);
    expect(spans.find(isGoal)).toMatchObject({
      status: {},
      attributes: { "sett.goal.state": "achieved" },
    });
    const made = await clan.made(goal, ({ structural_type }) => structural_type === "Terminal");
    expect(made.payload.split("-")[2]).toBe(spanIdOf(spanKeys.tool(made.claim_id, "coder", 2)));
  });

  test("a program that starts in the middle of a goal exports its open spans whole, and none that ended before", async () => {
    const { clan, env } = await clanOf({
      coder: { bids: [{ on: "GoalDefined", bid: "exclusive" }] },
      packer: { bids: [{ on: "Code", bid: "exclusive" }] },
    });
    await using _clan = clan;
    const goal = await clan.postGoal();
    await using _coder = cubOf(env, "coder", tellTrace("Code"));
    const code = await clan.made(goal, ({ type }) => type === "Code");
    await waitFor(
      "the claim on it",
      async () => (await clan.claimOn(code)).claim.bidding === "closed",
    );
    await waitFor(
      "the first claim's end",
      async () => (await clan.claimOn(goal)).claim.status === "complete",
    );
    await using program = await startTelemetryProgram({
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
    await using _packer = cubOf(env, "packer", tellTrace("Package", "Terminal"));
    const spans = await collector.trace(traceIdOf(goal.id), isGoal, "the span of the goal");
    expect(pathsOf(spans)).toEqual([
      "goal",
      "goal > claim Code",
      "goal > claim Code > grant packer",
      "goal > claim Code > grant packer > attempt packer",
      "goal > claim Code > grant packer > attempt packer > tool packer",
    ]);
    // Nanoseconds are too many for a number.
    const start = Number(BigInt(spans.find(isGoal)?.startTimeUnixNano ?? 0) / 1_000_000n);
    const [first] = await clan.board
      .readEvents("0", 1_000)
      .then((all) => all.filter(({ goal_id }) => goal_id === goal.goal_id));
    expect(start).toBe(Date.parse(first?.time ?? ""));
    const begins = program.log().find(({ msg }) => msg.startsWith("Telemetry begins"));
    expect(begins).toMatchObject({ open_goals: 1, open_claims: 1 });
  });

  test("spans wait for a collector that is away, and arrive when it is back", async () => {
    const { clan, env } = await clanOf({
      coder: { bids: [{ on: "GoalDefined", bid: "exclusive" }] },
    });
    await using _clan = clan;
    await using late = await startCollector({ isStopped: true });
    await using program = await startTelemetryProgram({
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: late.endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: "300",
    });
    const goal = await clan.postGoal();
    await using _coder = cubOf(env, "coder", tellTrace("Done", "Terminal"));
    await waitFor("it to notice", () =>
      program.log().some(({ msg }) => msg.startsWith("The collector does not take spans")),
    );
    await late.start();
    const spans = await late.trace(traceIdOf(goal.id), isGoal, "the span of the goal");
    expect(spans.length).toBe(6);
    const scraped = await waitFor("the count", async () => {
      const text = await program.scrape();
      return text.includes("sett_instance_telemetry_spans_exported_total 6") && text;
    });
    expect(scraped).toContain('sett_instance_telemetry_spans_lost_total{reason="queue_full"} 0');
  });
});

/**
 * The event of a call of a model that the gateway logs, for the run that has made `artefact`. Its
 * id.
 */
async function callModel(
  { board }: Clan,
  { goal_id, claim_id, produced_by_agent }: Artefact,
): Promise<string> {
  const call = randomUUID();
  const tokens = { input: 1200, output: 80, cached: 1000, reasoning: 0 };
  const models = {
    model: "strong",
    provider: "anthropic",
    asked: "claude-sonnet",
    answered: "claude-sonnet-5",
  };
  const data = {
    call,
    kind: "grant",
    attempt: 1,
    ...models,
    ...tokens,
    outcome: "ok",
    status: 200,
    usd: 0.0125,
    duration_ms: 5,
    tries: 1,
  };
  const about = {
    goal_id,
    ...(claim_id !== "" && { claim_id }),
    agent: produced_by_agent as never,
  };
  await board.logEvent({ type: "model_called", ...about, data }, "gateway");
  return call;
}
