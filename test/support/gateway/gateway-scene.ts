// A gateway on a port of its own, and a grant whose token it takes.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGatewayApp } from "../../../apps/gateway/app.ts";
import { BodyStore } from "../../../apps/gateway/body-store.ts";
import { withCassettes } from "../../../apps/gateway/cassettes/cassette-upstream.ts";
import { type Deps, defaultLimits, type Limits } from "../../../apps/gateway/deps.ts";
import { Gateway } from "../../../apps/gateway/gateway.ts";
import { KeyFolder } from "../../../apps/gateway/keys.ts";
import { createGatewayMetrics } from "../../../apps/gateway/metrics.ts";
import {
  createProviderUpstream,
  type RetryPolicy,
} from "../../../apps/gateway/provider-upstream.ts";
import type { CassetteFolder } from "../../../apps/gateway/settings.ts";
import { Tools } from "../../../apps/gateway/tools/tools.ts";
import { type After, systemAfter } from "../../../lib/async/after.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Budget } from "../../../lib/model/budget.ts";
import { ModelName, type ModelSettings } from "../../../lib/model/config-models.ts";
import {
  headersFile,
  type ToolHeaders,
  type ToolServerSettings,
} from "../../../lib/model/config-tools.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { CallRecord } from "../../../lib/model/model-call.ts";
import { newToken } from "../../../lib/models/token.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { serve } from "../../../lib/service/serve.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import { blackboardInMemory } from "../blackboard/in-memory.ts";
import { queueGrant, running } from "../blackboard/scene.ts";
import { waitFor } from "../wait-for.ts";

export const key = "provider-key-that-no-agent-may-see";

export type GatewayScene = AsyncDisposable & {
  gateway: Gateway;
  board: Blackboard;
  /** The base URL for clients of Anthropic's, and of OpenAI's API. */
  anthropic: string;
  openai: string;
  url: string;
  token: string;
  /** The running grant, and what it is about. */
  work: Awaited<ReturnType<typeof tokenOf>>["work"];
  folder: string;
  log: string[];
  /** The calls that have ended, once they are so many. */
  ended(count: number): Promise<CallRecord[]>;
  /** Sends JSON to a path, as the grant. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
};

export type SceneOptions = {
  base_url: string;
  provider?: ModelSettings["provider"];
  model?: Partial<ModelSettings>;
  /** Beside `strong`, the agents' own: by their names. Each has the key, too. */
  others?: Record<string, ModelSettings>;
  goal?: Budget;
  grant?: Budget;
  board?: Blackboard;
  limits?: Partial<Limits>;
  retry?: Partial<RetryPolicy>;
  /** The timer that ends silent calls. */
  after?: After;
  mode?: "bodies" | "digests";
  key?: string | undefined;
  /** The folder in which calls are recorded, or from which they are answered. */
  cassette?: CassetteFolder;
  /** MCP servers, which the agent `coder` may use, and what goes to them as headers. */
  tools?: Record<string, ToolServerSettings>;
  toolHeaders?: Record<string, ToolHeaders>;
  /** How long they may take to say what their tools are. */
  listMs?: number;
};

export async function startGateway(options: SceneOptions): Promise<GatewayScene> {
  const board =
    options.board ?? (await blackboardInMemory({ instance: InstanceName.parse("test") }).open());
  const folder = await mkdtemp(join(tmpdir(), "sett-gateway-"));
  const keys = new KeyFolder(join(folder, "keys"));
  const { toolHeaders = {} } = options;
  await keys.put(
    new Map([
      ...("key" in options && options.key === undefined
        ? []
        : [["strong", options.key ?? key] as const]),
      ...Object.keys(options.others ?? {}).map((name) => [name, key] as const),
      ...Object.entries(toolHeaders).map(
        ([name, one]) => [headersFile(name), JSON.stringify(one)] as const,
      ),
    ]),
  );
  const { work, token } = await tokenOf(board);
  const lines: string[] = [];
  const log = createJsonLog((line) => lines.push(line), systemClock.now);
  const metrics = createGatewayMetrics();
  const limits = { ...defaultLimits, tickMs: 50, ...options.limits };
  const others = options.others ?? {};
  const models = new Map([["strong", settingsOf(options)], ...Object.entries(others)]);
  const retry = { firstMs: 1, maxMs: 10, maxTries: 4, ...options.retry };
  const clock = systemClock;
  const { maxAnswerBytes } = limits;
  const providers = createProviderUpstream({
    models,
    keys,
    metrics,
    log,
    clock,
    random: () => 0.5,
    maxAnswerBytes,
    retry,
  });
  const deps: Deps = {
    board,
    models,
    agents: new Map(
      ["coder", "other"].map((name) => [
        name,
        { model: ModelName.parse("strong"), budget: options.grant ?? {} },
      ]),
    ),
    goalBudget: options.goal ?? {},
    keys,
    bodies: new BodyStore({ folder: join(folder, "record"), mode: options.mode ?? "bodies", log }),
    cassette: options.cassette,
    upstream: await withCassettes(providers, options.cassette, { keys, log }),
    metrics,
    log,
    clock,
    after: options.after ?? systemAfter,
    newId: randomUUID,
    limits,
  };
  const gateway = new Gateway(deps);
  const stop = new AbortController();
  await gateway.start(stop.signal);
  const running = gateway.run(stop.signal);
  const server = serve(
    { port: 0, hostname: "127.0.0.1", isPatient: true },
    createGatewayApp(gateway, toolsOf(deps, options, join(folder, "record"))).fetch,
  );
  const url = `http://127.0.0.1:${server.port}`;
  const readEnded = async () => (await board.readCalls(work.goal.goal_id)).ended;
  return {
    gateway,
    board,
    url,
    anthropic: `${url}/anthropic`,
    openai: `${url}/openai/v1`,
    token,
    work,
    folder,
    log: lines,
    ended: (count) =>
      waitFor(`${count} ended calls`, async () => {
        // Redis may be away, in tests about that.
        const all = await readEnded().catch((error: unknown) => {
          if (isAway(error)) return [];
          throw error;
        });
        return all.length >= count && all;
      }),
    post: (path, body, init = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
        ...init,
      }),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      await server.stop();
      if (options.board === undefined) await board[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

function toolsOf(
  deps: Deps,
  { tools = {}, listMs }: Pick<SceneOptions, "tools" | "listMs">,
  folder: string,
) {
  const servers = new Map(Object.entries(tools));
  if (servers.size === 0) return undefined;
  const agents = new Map([["coder", [...servers.keys()]]]);
  return {
    version: "test",
    tools: new Tools({
      ...{ ...deps, budgets: deps, servers, agents, folder, version: "test" },
      ...(listMs !== undefined && { listMs }),
    }),
  };
}

/** A running grant of the agent, and the token that its command gets. */
export async function tokenOf(board: Blackboard, name = "coder") {
  const { goal, claim, agent } = await queueGrant(board, name);
  const { text, digest } = newToken({ kind: "grant", claim: claim.id, agent, attempt: 1 });
  const grant = { ...running(name), model_token: digest };
  await board.acceptGrant({ claim: claim.id, grant, leaseMs: 600_000 });
  return { work: { goal, claim, agent, grant }, token: text };
}

export function settingsOf({
  base_url,
  provider = "openai",
  model = {},
}: Pick<SceneOptions, "base_url" | "provider" | "model">): ModelSettings {
  return {
    provider,
    model: "provider-model",
    base_url,
    price: { input: 2, output: 10, cached_input: 0.5 },
    max_output: 1_000,
    parallel: 10,
    timeout_ms: 60_000,
    needs_key: true,
    ...model,
  };
}

export const chatRequest = (over: Record<string, unknown> = {}) => ({
  model: "any",
  max_tokens: 100,
  messages: [{ role: "user", content: "hello" }],
  ...over,
});
