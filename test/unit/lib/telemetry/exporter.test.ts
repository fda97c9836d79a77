import { describe, expect, test } from "bun:test";
import { emptyResource } from "@opentelemetry/resources";
import { InMemorySpanExporter, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { createJsonLog } from "../../../../lib/service/json-log.ts";
import { Exporter } from "../../../../lib/telemetry/exporter.ts";
import type { FinishedSpan } from "../../../../lib/telemetry/span.ts";
import { waitFor } from "../../../support/wait-for.ts";

const origin = { resource: emptyResource(), scope: { name: "sett", version: "1" } };

function spanOf(name: string): FinishedSpan {
  const ids = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentId: undefined,
  };
  const nothing = { attributes: {}, error: undefined, events: [], droppedEvents: 0, links: [] };
  return { kind: "goal", name, ...ids, startMs: 1_500, endMs: 2_250, ...nothing };
}

const spansOf = (count: number) =>
  Array.from({ length: count }, (_, index) => spanOf(`span ${index}`));

type Answer = { code: number; error?: Error };

const address = "http://collector.example:4318/v1/traces";

/** `answer`: to the batches in turn, the last one to all that follow. */
function scene(answers: Answer[], settings = {}) {
  const batches: string[][] = [];
  const lines: string[] = [];
  const stop = new AbortController();
  const exporter = new Exporter({
    address,
    exporter: {
      export(spans: ReadableSpan[], done: (answer: Answer) => void) {
        batches.push(spans.map(({ name }) => name));
        done(answers.length > 1 ? (answers.shift() ?? { code: 0 }) : (answers[0] ?? { code: 0 }));
      },
      shutdown: async () => {},
    },
    origin,
    settings: { delayMs: 1, maxQueue: 10, maxBatch: 4, ...settings },
    log: createJsonLog(
      (line) => lines.push(line),
      () => new Date(0),
    ),
  });
  return { exporter, batches, lines, stop };
}

const refused = Object.assign(new Error("Bad Request"), { code: 400 });
const busy = Object.assign(new Error("Too Many Requests"), { code: 429 });

describe("spans", () => {
  test("go out in batches, in their order", async () => {
    const { exporter, batches, stop } = scene([{ code: 0 }]);
    exporter.add(spansOf(6));
    const running = exporter.run(stop.signal);
    await waitFor("both batches", () => exporter.exported === 6);
    stop.abort();
    await running;
    expect(batches.map((batch) => batch.length)).toEqual([4, 2]);
    expect(batches.flat()).toEqual(spansOf(6).map(({ name }) => name));
  });

  test("wait while the collector does not answer, and are sent again, the same ones first", async () => {
    const { exporter, batches, lines, stop } = scene([
      { code: 1, error: new Error("ECONNREFUSED") },
      { code: 1, error: busy },
      { code: 0 },
    ]);
    exporter.add(spansOf(2));
    const running = exporter.run(stop.signal);
    await waitFor("them to arrive", () => exporter.exported === 2);
    stop.abort();
    await running;
    expect(batches).toEqual([0, 1, 2].map(() => ["span 0", "span 1"]));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: "The collector does not take spans, trying again", address },
      { msg: "The collector takes spans again" },
    ]);
  });

  test("that are refused are not sent again, so that they hold up no others", async () => {
    const { exporter, stop } = scene([{ code: 1, error: refused }, { code: 0 }]);
    exporter.add(spansOf(5));
    const running = exporter.run(stop.signal);
    await waitFor("the others", () => exporter.exported === 1);
    stop.abort();
    await running;
    expect(exporter.lost).toEqual({ queue_full: 0, refused: 4 });
  });

  test("beyond the limit are lost, the oldest ones, and counted", () => {
    const { exporter } = scene([{ code: 0 }]);
    exporter.add(spansOf(7));
    exporter.add(spansOf(8));
    expect([exporter.waiting, exporter.lost.queue_full]).toEqual([10, 5]);
  });

  test("that are left at the end have one more try", async () => {
    const { exporter, batches, stop } = scene([{ code: 0 }], { delayMs: 60_000 });
    exporter.add(spansOf(1));
    stop.abort();
    await exporter.run(stop.signal);
    expect(batches).toEqual([["span 0"]]);
  });
});

test("the end does not wait for a collector that never answers", async () => {
  const lines: string[] = [];
  const silent = { export: () => {}, shutdown: () => new Promise<void>(() => {}) };
  const settings = { delayMs: 60_000, maxQueue: 10, maxBatch: 4 };
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(0),
  );
  const exporter = new Exporter({
    exporter: silent,
    origin,
    settings,
    log,
    address,
    lastTryMs: 10,
  });
  exporter.add(spansOf(3));
  await exporter.run(AbortSignal.abort());
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ spans: 3, address }),
  ]);
});

test("the SDK's own exporter gets spans as it makes them itself", async () => {
  const memory = new InMemorySpanExporter();
  const stop = new AbortController();
  const settings = { delayMs: 1, maxQueue: 10, maxBatch: 4 };
  const log = createJsonLog(
    () => {},
    () => new Date(0),
  );
  const exporter = new Exporter({ exporter: memory, origin, settings, log, address });
  exporter.add([{ ...spanOf("goal"), parentId: "00f067aa0ba902b7", error: "failed" }]);
  const running = exporter.run(stop.signal);
  const [span] = await waitFor(
    "it",
    () => memory.getFinishedSpans().length > 0 && memory.getFinishedSpans(),
  );
  stop.abort();
  await running;
  expect(span?.spanContext()).toEqual({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    traceFlags: 1,
  });
  expect(span?.parentSpanContext?.spanId).toBe("00f067aa0ba902b7");
  expect([span?.startTime, span?.endTime, span?.duration]).toEqual([
    [1, 500_000_000],
    [2, 250_000_000],
    [0, 750_000_000],
  ]);
  expect(span?.status).toEqual({ code: 2, message: "failed" });
});

test("the problem of an export says where to, since when and why, until the collector takes spans", async () => {
  const { exporter, stop } = scene([
    { code: 1, error: busy },
    { code: 1, error: refused },
  ]);
  expect(exporter.problem).toBeUndefined();
  exporter.add([spanOf("one")]);
  const running = exporter.run(stop.signal);
  const first = await waitFor("the problem", () => exporter.problem);
  expect(first).toMatchObject({ to: address, reason: "it answers 429 (Too Many Requests)" });
  await waitFor("the refusal", () => exporter.lost.refused === 1);
  const last = { status: 400, reason: "it answers 400 (Bad Request)" };
  expect(exporter.problem).toEqual({ ...first, ...last });
  stop.abort();
  await running;
  const recovering = scene([{ code: 1, error: busy }, { code: 0 }]);
  recovering.exporter.add([spanOf("two")]);
  const again = recovering.exporter.run(recovering.stop.signal);
  await waitFor("the problem", () => recovering.exporter.problem);
  await waitFor("the export", () => recovering.exporter.exported === 1);
  expect(recovering.exporter.problem).toBeUndefined();
  recovering.stop.abort();
  await again;
});
