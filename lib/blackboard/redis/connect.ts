// The blackboard in Redis.
import type { SettError } from "../../model/errors.ts";
import type { AgentName, InstanceName } from "../../model/ids.ts";
import type { Blackboard, Memory } from "../port/blackboard.ts";
import { agentAt } from "../records/event-actor.ts";
import { keysOf } from "../records/keys.ts";
import { agentsOf } from "./agents.ts";
import { artefactsOf } from "./artefacts.ts";
import { askedCallsOf } from "./asked-calls.ts";
import { callOf } from "./call.ts";
import { claimsOf } from "./claims.ts";
import { newClient } from "./client.ts";
import { Connection } from "./connection.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { eraseOf } from "./erase.ts";
import { factsOf } from "./facts.ts";
import { loadFunctions, sendCallOf } from "./function-library.ts";
import { grantsOf } from "./grants.ts";
import { leaderLeaseOf } from "./leader.ts";
import { logOf } from "./log.ts";
import { mailOf } from "./mail.ts";
import { modelsOf } from "./models.ts";
import { noticesOf } from "./notices.ts";
import { pausesOf } from "./pauses.ts";
import { peopleOf, remarksOf } from "./people.ts";
import { connected } from "./probe.ts";
import { proofOf } from "./proof.ts";
import { pruneOf } from "./prune.ts";
import { repliesOf } from "./replies.ts";
import { triggersOf } from "./triggers.ts";

export type ConnectOptions = {
  url: string;
  /** Names the place to which the port of `url` only leads, for sentences. */
  at?: string | undefined;
  /** Certificates in PEM that sign that of the server, in place of those that everybody knows. */
  ca?: string | undefined;
  /** The same Redis as a user who may load the functions, where the user of `url` may not. */
  ownerUrl?: string | undefined;
  instance: InstanceName;
  /** The machine of this program: the events of agents name it. */
  host?: string;
  /** How long an answer may take, and how long about a call is repeated. Milliseconds. */
  timeoutMs?: number;
  /**
   * How long Redis may be away before `onLost` is called and every call rejects. Undefined: the
   * first failure to connect rejects.
   */
  giveUpMs?: number | undefined;
  /** How calls are repeated; undefined: as `timeoutMs` says. */
  repeat?: ConnectionOptions["repeat"];
  /** Ends the attempts to connect. */
  signal?: AbortSignal | undefined;
  /** True: what the program holds would be lost with it, so that it goes on without Redis. */
  isNeeded?: (() => boolean) | undefined;
  /**
   * Called once for each entry or record that is skipped because it cannot be read: a person must
   * repair it.
   */
  onUnreadable?: (what: string) => void;
  /** Called once. Followers throw the same error. */
  onLost?: (error: SettError) => void;
  /** Where a client is not one of the network: for tests without a server. */
  makeClient?: ConnectionOptions["makeClient"];
};

type ServiceSettings = {
  redisUrl: string;
  instance: InstanceName;
  redisTimeoutMs: number;
  redisGiveUpMs: number;
};

/** Connects a service as its settings say. */
export async function connectService(
  { redisUrl: url, instance, redisTimeoutMs: timeoutMs, redisGiveUpMs: giveUpMs }: ServiceSettings,
  options: Pick<ConnectOptions, "isNeeded" | "onLost" | "onUnreadable">,
): Promise<Blackboard> {
  return await connectBlackboard({ url, instance, timeoutMs, giveUpMs, ...options });
}

/** Rejects with `redis-unreachable`, in a sentence that names host and port. */
export async function connectBlackboard(options: ConnectOptions): Promise<Blackboard> {
  const {
    url,
    at,
    ca,
    ownerUrl,
    instance,
    host,
    timeoutMs = 3_000,
    giveUpMs,
    repeat,
    signal,
    isNeeded,
    onLost = () => {},
  } = options;
  const onUnreadable = onceForEach(options.onUnreadable ?? (() => {}));
  const keys = keysOf(instance);
  const connection = await Connection.open({
    ...{ url, at, ca, timeoutMs, giveUpMs, repeat, signal, isNeeded, onLost },
    probeKey: keys.probe,
    makeClient: options.makeClient,
  });
  const actorOf = (agent: AgentName, at = host) => agentAt(agent, at);
  const nonce = crypto.randomUUID();
  const load =
    ownerUrl === undefined ? loadFunctions : () => loadFunctionsAs(ownerUrl, timeoutMs, keys.probe);
  const call = callOf(sendCallOf((work) => connection.run(work), keys, nonce, load));
  const callOnce = callOf(sendCallOf((work) => connection.once(work), keys, nonce, load));
  const callOn = (number: number | undefined) =>
    callOf(sendCallOf((work) => connection.run(work, number), keys, nonce, load));
  const deps = {
    connection,
    keys,
    call,
    callOnce,
    callOn,
    onUnreadable,
    user: new URL(url).username,
    actorOf,
  };
  return {
    instance,
    time: async () => {
      const [seconds, microseconds] = await connection.run((client) => client.time());
      return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    },
    readMemory: async () => memoryOf(await connection.run((client) => client.info("memory"))),
    hasWritten: async () => isWritten(await connection.run((client) => client.info("persistence"))),
    contactSince: () => connection.since,
    contactProblem: () => connection.problem,
    connectionNumber: () => connection.number,
    onReconnect: (listener) => connection.onReconnect(listener),
    ...artefactsOf(deps),
    ...claimsOf(deps),
    ...grantsOf(deps),
    ...peopleOf(deps),
    ...pausesOf(deps),
    ...remarksOf(deps),
    ...agentsOf(deps),
    ...mailOf(deps),
    ...modelsOf(deps),
    ...askedCallsOf(deps),
    ...noticesOf(deps),
    ...factsOf(deps),
    ...triggersOf(deps),
    ...proofOf(deps),
    ...pruneOf(deps),
    ...eraseOf(deps),
    ...repliesOf(deps),
    ...leaderLeaseOf(deps),
    ...logOf(deps),
    [Symbol.asyncDispose]: async () => connection.close(),
  };
}

async function loadFunctionsAs(url: string, timeoutMs: number, probeKey: string): Promise<void> {
  const { client } = await connected(newClient(url, timeoutMs, timeoutMs), probeKey);
  await loadFunctions(client).finally(() => client.destroy());
}

/** As Redis itself computes it when it decides whether to refuse writes. */
function memoryOf(info: string): Memory {
  const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
  const usedBytes = Math.max(0, figure("used_memory") - figure("mem_not_counted_for_evict"));
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  return { usedBytes, limitBytes: figure("maxmemory") || undefined, policy };
}

/** Without a file there is nothing to wait for. */
function isWritten(info: string): boolean {
  return !/^aof_buffer_length:[1-9]/m.test(info);
}

/** Several followers read the same stream, and read it again after a loss of contact. */
function onceForEach(report: (what: string) => void): (what: string) => void {
  const reported = new Set<string>();
  return (what) => {
    if (reported.has(what)) return;
    // Thousands of damaged entries must not fill the memory.
    if (reported.size === maxReported) reported.clear();
    reported.add(what);
    report(what);
  };
}

const maxReported = 10_000;
