// Says what is measured of an instance as a whole, for Prometheus. The programs have metrics of
// their own beside these.
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export type InstanceMetrics = ReturnType<typeof createInstanceMetrics>;

/**
 * The buckets go from milliseconds, for commands that are scripts, to the days that a person may
 * need.
 */
const seconds = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

type Make<Metric> = (name: string, help: string, labelNames?: string[]) => Metric;

/**
 * `refresh` sets the gauges that are read from the blackboard. It is called at each scrape, once
 * for all of them.
 */
export function createInstanceMetrics(refresh: () => Promise<void> = async () => {}) {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = [], collect = () => {}) =>
    new Counter({ name, help, labelNames, registers, collect });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers, collect: refresh });
  const histogram = (name: string, help: string, labelNames: string[] = []) =>
    new Histogram({ name, help, labelNames, buckets: seconds, registers });
  /** It shows a number that is counted elsewhere. */
  const own = (name: string, help: string, labelNames: string[] = []) =>
    counter(name, help, labelNames, refresh);
  return {
    registry,
    ...ofBlackboard(gauge),
    ...ofLog(counter),
    ...durations(histogram),
    ...ofTelemetry(gauge, own),
  };
}

/** These are read from the blackboard at the scrape. */
function ofBlackboard(gauge: Make<Gauge>) {
  return {
    up: gauge("sett_instance_up", "1 while the blackboard can be read."),
    info: gauge(
      "sett_instance_info",
      "1, with the instance and the version of the program that measures.",
      ["instance_name", "version"],
    ),
    goals: gauge(
      "sett_instance_goals",
      "Goals by state: those that go on, and the newest that have ended.",
      ["state"],
    ),
    goalsOnBlackboard: gauge("sett_instance_goals_on_blackboard", "All goals on the blackboard."),
    artefacts: gauge("sett_instance_artefacts_on_blackboard", "All artefacts on the blackboard."),
    openClaims: gauge("sett_instance_open_claims", "Claims that have not ended, by stage.", [
      "stage",
    ]),
    unreadClaims: gauge(
      "sett_instance_open_claims_unread",
      "Open claims beyond the 2 000 oldest, which no other metric counts.",
    ),
    grants: gauge("sett_instance_grants", "Grants by agent and state: queued, running, waiting.", [
      "agent",
      "state",
    ]),
    inquiries: gauge(
      "sett_instance_inquiries",
      "What waits for a person, by kind: question, approval.",
      ["kind"],
    ),
    oldestInquiry: gauge(
      "sett_instance_oldest_inquiry_seconds",
      "How long the oldest of them has waited.",
      ["kind"],
    ),
    heartbeatAge: gauge(
      "sett_instance_heartbeat_age_seconds",
      "How old the last heartbeat of the agent is.",
      ["agent"],
    ),
    agentState: gauge(
      "sett_instance_agent_state",
      "1 for the state in the agent's last heartbeat.",
      ["agent", "state"],
    ),
    paused: gauge("sett_instance_paused", "1 while the instance is paused."),
    leader: gauge(
      "sett_instance_orchestrator_leads",
      "1 while an orchestrator holds the leader lease.",
    ),
    epoch: gauge(
      "sett_instance_orchestrator_epoch",
      "The epoch of the last leader: it grows with each change.",
    ),
    orchestratorLag: gauge(
      "sett_instance_orchestrator_lag_seconds",
      "How old the first event is that the orchestrator has not handled.",
    ),
    logLength: gauge("sett_instance_log_events", "Events in the log."),
    redisBytes: gauge("sett_instance_redis_memory_bytes", "Memory that Redis uses."),
    redisLimit: gauge(
      "sett_instance_redis_memory_limit_bytes",
      "The limit at which Redis refuses writes; 0 where there is none.",
    ),
  };
}

/** These count events of the log, since the program has started. */
function ofLog(counter: Make<Counter>) {
  return {
    events: counter("sett_instance_events_total", "Events of the log, by type.", ["type"]),
    bids: counter("sett_instance_bids_total", "Bids, by agent and word.", ["agent", "word"]),
    goalsEnded: counter("sett_instance_goals_ended_total", "Goals that have ended, by state.", [
      "state",
    ]),
    claimsEnded: counter(
      "sett_instance_claims_ended_total",
      "Claims that have ended, by kind and outcome.",
      ["kind", "outcome"],
    ),
    attempts: counter(
      "sett_instance_attempts_total",
      "Attempts that have ended, by agent, outcome and type of Failure.",
      ["agent", "outcome", "failure"],
    ),
    modelCalls: counter(
      "sett_instance_model_calls_total",
      "Calls of language models, by agent, model and outcome.",
      ["agent", "model", "outcome"],
    ),
    modelTokens: counter(
      "sett_instance_model_tokens_total",
      "Their tokens; input includes cached, output includes reasoning.",
      ["agent", "model", "kind"],
    ),
    modelCost: counter(
      "sett_instance_model_cost_usd_total",
      "What they have cost, in US dollars.",
      ["agent", "model"],
    ),
  };
}

/** These take their times from the log. */
function durations(histogram: Make<Histogram>) {
  return {
    goalSeconds: histogram("sett_instance_goal_seconds", "From a goal to its end, by state.", [
      "state",
    ]),
    claimSeconds: histogram(
      "sett_instance_claim_seconds",
      "From the opening of a claim to its end, by kind.",
      ["kind"],
    ),
    biddingSeconds: histogram(
      "sett_instance_bidding_seconds",
      "From the opening of a claim to its last bid.",
    ),
    queueSeconds: histogram(
      "sett_instance_queue_seconds",
      "From a queued grant to the start of the work.",
      ["agent"],
    ),
    runSeconds: histogram(
      "sett_instance_run_seconds",
      "From the start of the work to its result or Failure.",
      ["agent", "outcome"],
    ),
    modelCallSeconds: histogram(
      "sett_instance_model_call_seconds",
      "How long a call of a language model took.",
      ["agent", "model"],
    ),
  };
}

/** These are about the telemetry itself. */
function ofTelemetry(gauge: Make<Gauge>, own: Make<Counter>) {
  return {
    lag: gauge(
      "sett_instance_telemetry_lag_seconds",
      "How old the first event is that these metrics and the traces do not have.",
    ),
    openGoals: gauge("sett_instance_telemetry_open_goals", "Goals whose spans are open."),
    forgottenGoals: own(
      "sett_instance_telemetry_forgotten_goals_total",
      "Goals whose open spans were forgotten, since there were too many.",
    ),
    spansExported: own(
      "sett_instance_telemetry_spans_exported_total",
      "Spans that the collector has taken.",
    ),
    spansWaiting: gauge(
      "sett_instance_telemetry_spans_waiting",
      "Spans that wait for the collector.",
    ),
    spansLost: own(
      "sett_instance_telemetry_spans_lost_total",
      "Spans that were not exported, by reason: queue_full, refused.",
      ["reason"],
    ),
  };
}
