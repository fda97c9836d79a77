// From the configuration to what is stored of it: the orchestrator's policy and the agents'
// registrations.
import { type AgentRegistration, needsWorkers } from "../model/agent.ts";
import { bidWayMs } from "../model/bid.ts";
import type {
  AgentConfig,
  BuiltInAgent,
  ExternalAgent,
  Person,
  SettConfig,
} from "../model/config.ts";
import type { Policy } from "../model/policy.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

export function policyOf(config: SettConfig): Policy {
  const { consensus, clarification, limits, retention, proof } = config;
  // Not part of the policy: cubs, orchestrator and gateway get these limits by variables of their
  // own.
  const {
    context_bytes: _context,
    output_bytes: _output,
    shutdown_ms: _shutdown,
    lease_ms: _lease,
    budget: _budget,
    spending: _spending,
    workers,
    ...decidedBy
  } = limits;
  const { other_events_ms } = retention;
  return {
    consensus,
    clarification,
    ...decidedBy,
    ...withoutUndefined({ workers }),
    ...(other_events_ms !== undefined && { other_events_ms }),
    ...(proof.mode !== "off" && { sealed: true as const }),
    ...(proof.mode === "required" && { proof_required: true as const }),
  };
}

/**
 * `images` has the digest or id of each agent's image, and `beside` that of each service's.
 * An agent without an image is registered as not started by a container runtime.
 */
export function registrationsOf(
  config: SettConfig,
  images: ReadonlyMap<string, string>,
  beside: ReadonlyMap<string, string> = new Map(),
): AgentRegistration[] {
  const started = config.agents.map((agent) => ({
    name: agent.name,
    role: agent.role,
    replicas: agent.replicas,
    strategy: agent.strategy,
    ...(agent.on_demand && { on_demand: true as const }),
    ...(needsWorkers(agent) && withoutUndefined({ instance_workers: config.limits.workers })),
    bids: hasUnreadPrompt(agent) ? ignoreAll : agent.bids,
    ...withoutUndefined({
      bids_by_command: bidsByCommand(agent),
      asks_model: asksModel(agent),
      asking_ms: askingMs(agent, config),
      package: agent.package,
      lane: agent.lane,
      open_network: agent.open_network,
      services: servicesOf(agent, beside),
    }),
    on_missing_bid: agent.on_missing_bid,
    workspace_mode: agent.workspace.mode,
    timeout_ms: agent.timeout_ms,
    retries: agent.retries,
    image: images.get(agent.name) ?? "",
  }));
  const all = [
    ...started,
    ...config.external.map(registrationOfExternal),
    ...config.people.map(registrationOfPerson),
    ...config.builtIn.map(registrationOfBuiltIn),
  ];
  return all.map((registration) => ({
    ...registration,
    position: config.order.indexOf(registration.name),
    ...withoutUndefined({ signing: config.signing }),
  }));
}

function servicesOf({ services }: AgentConfig, beside: ReadonlyMap<string, string>) {
  const found = services.map(({ name, image }) => ({ name, image: beside.get(image) ?? image }));
  return found.length === 0 ? undefined : found;
}

function bidsByCommand({ bid_command }: AgentConfig): true | undefined {
  return bid_command === undefined ? undefined : true;
}

/** Its prompt would decide, and there is no model to read it. */
function hasUnreadPrompt({ bids, bid_command, model, prompts }: AgentConfig): boolean {
  return (
    bids.length === 0 &&
    bid_command === undefined &&
    model === undefined &&
    (prompts.claim ?? "") !== ""
  );
}

const ignoreAll = [{ on: "*", bid: "ignore" as const }];

/** A bid command decides every bid, so that the prompt decides none. */
function asksModel({ model, prompts, bid_command }: AgentConfig): true | undefined {
  return model !== undefined && (prompts.claim ?? "") !== "" && bid_command === undefined
    ? true
    : undefined;
}

function askingMs(agent: AgentConfig, { models }: SettConfig): number | undefined {
  const timeoutMs = models.settings[agent.model ?? ""]?.timeout_ms;
  return asksModel(agent) === undefined || timeoutMs === undefined
    ? undefined
    : timeoutMs + bidWayMs;
}

/** These settings have no effect where no container is started. */
const notStarted = {
  replicas: 1,
  strategy: "reuse",
  workspace_mode: "ro",
  timeout_ms: 5 * 60_000,
  image: "",
} as const;

function registrationOfExternal(agent: ExternalAgent): AgentRegistration {
  return { ...agent, ...notStarted, external: true };
}

/** As a person, it reviews without a lease: what it waits for may take days. */
function registrationOfBuiltIn({ kind, name, role, bids, people }: BuiltInAgent) {
  const named = withoutUndefined({ people: people.length === 0 ? undefined : people });
  return { ...registrationOfPerson({ name, role, bids, ...named }), built_in: kind };
}

/** A person's bid is never missing: without a rule that matches it is `ignore`. */
function registrationOfPerson(person: Person): AgentRegistration {
  return { ...person, ...notStarted, on_missing_bid: "ignore", retries: 0, human: true };
}
