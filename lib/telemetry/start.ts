// Telemetry of one instance: follows its log, exports its traces where they are wanted, and has its
// metrics for one scrape address. The log is followed from the first scrape on, or where traces are
// exported: what is made of each event costs as much as all else that the API does.
import type { Registry } from "prom-client";
import { type Clock, systemClock } from "../async/clock.ts";
import { sleep } from "../async/sleep.ts";
import { messageOf } from "../model/errors.ts";
import type { JsonLog } from "../service/json-log.ts";
import type { TelemetryBoard } from "./board.ts";
import { LogCounts } from "./count-log.ts";
import type { Exporter, ExportProblem } from "./exporter.ts";
import { LogFollower } from "./follow-log.ts";
import { GoalStates } from "./goal-states.ts";
import { createInstanceMetrics, type InstanceMetrics } from "./metrics.ts";
import { openExporter, withoutPassword } from "./open-exporter.ts";
import { gaugeRefresher } from "./refresh-gauges.ts";
import type { TelemetrySettings } from "./settings.ts";
import { SpansOfLog } from "./spans-of-log.ts";

export type TelemetryOptions = {
  board: TelemetryBoard;
  settings: TelemetrySettings;
  /** The version of Sett. */
  version: string;
  log: JsonLog;
  /** Ends it; what is left to export is exported, for some seconds at most. */
  signal: AbortSignal;
  clock?: Clock;
  /**
   * Called with the problem of the export, if there is one, at each change and some times in a
   * minute. What it throws is logged.
   */
  onProblem?: (problem: ExportProblem | undefined) => Promise<void>;
};

/**
 * `metrics`: for `GET /metrics`. `ready`: resolves once events from now on will be counted.
 * `ended`: resolves after the signal, when all is exported or given up. Neither rejects.
 */
export type Telemetry = {
  metrics: Registry;
  state: () => object;
  ready: Promise<void>;
  ended: Promise<void>;
};

const tickMs = 500;
const sayEveryMs = 20_000;
/** The number of goals of the past that are read at each tick. */
const pastGoals = 5;

/** Returns at once. While Redis is away it waits. */
export function startTelemetry(options: TelemetryOptions): Telemetry {
  const { board, log, clock = systemClock, version, settings, signal } = options;
  const passedMs = () => clock.passedMs();
  const goals = new GoalStates(board);
  let exporter: Exporter | undefined;
  const wanted = Promise.withResolvers<void>();
  if (settings.traces !== undefined) wanted.resolve();
  signal.addEventListener("abort", () => wanted.resolve(), { once: true });
  const metrics = createInstanceMetrics(async () => {
    wanted.resolve();
    await refresh();
    show(metrics.forgottenGoals, spans.forgottenGoals);
    metrics.openGoals.set(spans.openGoals);
    if (exporter !== undefined) showExporter(metrics, exporter);
  });
  let isLive = false;
  const spans = new SpansOfLog({}, (goal, state) => {
    goals.ended(goal, state);
    if (isLive) metrics.goalsEnded.inc({ state: state ?? "unknown" });
  });
  const counts = new LogCounts(metrics);
  const follower = new LogFollower({
    ...{ board, spans, settings, log },
    onEvent: (event) => counts.event(event),
    onSpans: (finished) => {
      for (const span of finished) counts.span(span);
      exporter?.add(finished);
    },
  });
  const position = () => follower.position;
  const report = (error: unknown) => {
    if (!signal.aborted) log.error("Telemetry could not be started", { error: messageOf(error) });
  };
  const refresh = gaugeRefresher({
    board,
    metrics,
    goals,
    version,
    position,
    log,
    nowMs: passedMs,
  });

  const opening = async () => {
    if (settings.traces === undefined) return;
    exporter = await openExporter(settings.traces, { instance: board.instance, version }, log);
    log.info("Traces are exported", { url: withoutPassword(settings.traces.url) });
  };
  const ready = follower.begin(signal).catch(report);
  const preparing = async () => {
    await ready;
    await wanted.promise;
    if (signal.aborted) return;
    await Promise.all([opening(), follower.prepare(signal)]);
    isLive = true;
  };
  const run = async () => {
    await preparing().catch(report);
    const say = problemSayer(() => exporter?.problem, options);
    const following = isLive
      ? [follower.run(signal), tickUntil({ follower, goals, say }, options)]
      : [];
    const last = new AbortController();
    const exporting = exporter?.run(last.signal);
    await Promise.all(following);
    last.abort();
    await exporting;
  };
  const state = () => ({
    position: follower.position ?? null,
    open_goals: spans.openGoals,
    open_claims: spans.openClaims,
  });
  return { metrics: metrics.registry, state, ready, ended: run() };
}

type Say = () => Promise<void>;

/** Says a problem once at each change, and again before it is forgotten. */
function problemSayer(
  problem: () => ExportProblem | undefined,
  { onProblem, clock = systemClock }: TelemetryOptions,
): Say {
  // Nothing said yet: a problem of the program before, of another collector maybe, is taken back.
  let [said, saidMs] = ["", 0];
  return async () => {
    const now = problem();
    const text = JSON.stringify(now ?? null);
    const isFresh = now === undefined || clock.passedMs() - saidMs < sayEveryMs;
    if (text === said && isFresh) return;
    await onProblem?.(now);
    [said, saidMs] = [text, clock.passedMs()];
  };
}

async function tickUntil(
  { follower, goals, say }: { follower: LogFollower; goals: GoalStates; say: Say },
  { log, signal }: TelemetryOptions,
): Promise<void> {
  let isLoaded = false;
  while (!signal.aborted) {
    try {
      await follower.tick();
      if (!isLoaded) await goals.load();
      isLoaded = true;
      await goals.readSome(pastGoals);
      await say();
    } catch (error) {
      if (!signal.aborted)
        log.warn("The blackboard could not be read, trying again", { error: messageOf(error) });
    }
    await sleep(tickMs, signal);
  }
}

function showExporter(metrics: InstanceMetrics, { exported, waiting, lost }: Exporter): void {
  show(metrics.spansExported, exported);
  metrics.spansWaiting.set(waiting);
  metrics.spansLost.reset();
  for (const [reason, count] of Object.entries(lost)) metrics.spansLost.inc({ reason }, count);
}

function show(counter: InstanceMetrics["spansExported"], count: number): void {
  counter.reset();
  counter.inc(count);
}
