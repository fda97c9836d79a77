// The API on a port of its own, over a clan on a real Redis, with tokens of several rights.

import { randomBytes } from "node:crypto";
import { digestOf } from "../../../apps/api/access/tokens.ts";
import { createApi } from "../../../apps/api/app.ts";
import { type Deps, defaultLimits } from "../../../apps/api/deps.ts";
import type { Api } from "../../../apps/api/env.ts";
import { type ApiMetrics, createApiMetrics } from "../../../apps/api/metrics.ts";
import { suggestRequest } from "../../../apps/api/over-http.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { draw } from "../../../lib/drawing/draw.ts";
import { allRights, type Right } from "../../../lib/model/api-access.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { serve } from "../../../lib/service/serve.ts";
import { type RedisServer, startRedisServer } from "../redis/redis-server.ts";
import { Clan, type Member } from "../world/clan.ts";
import { placeInRedis } from "../world/redis-place.ts";
import { requireConforming } from "./conforming.ts";

export type Answer = { status: number; headers: Headers; body: unknown; text: string };
type Board = Deps["board"];
/** `port`: any that is free where it is missing. `around`: the board as the API sees it. */
type Options = {
  redis?: RedisServer;
  orchestrator?: boolean;
  deps?: Partial<Deps>;
  port?: number;
  around?: (board: Board) => Board;
};

/** Tokens by what they may do: `all` may everything, the others one thing beside `read`. */
const tokenNames = {
  all: allRights,
  reader: ["read"],
  writer: ["forage"],
  forager: ["read", "forage"],
  poster: ["read", "post"],
  answerer: ["read", "answer"],
  raiser: ["read", "budget"],
  treasurer: ["read", "answer", "budget"],
  approver: ["read", "approve"],
  reviewer: ["read", "approve"],
  controller: ["read", "control"],
} as const satisfies Record<string, readonly Right[]>;

export type TokenName = keyof typeof tokenNames;
type Made = Pick<ApiScene, "clan" | "redis" | "url" | "tokens" | "app" | "log" | "metrics">;

export class ApiScene implements AsyncDisposable {
  readonly clan: Clan;
  readonly url: string;
  readonly log: string[];
  readonly tokens: Record<TokenName, string>;
  readonly redis: RedisServer;
  readonly app: Api;
  readonly metrics: ApiMetrics;
  readonly #end: () => Promise<void>;

  private constructor(made: Made, end: () => Promise<void>) {
    this.clan = made.clan;
    this.redis = made.redis;
    this.url = made.url;
    this.tokens = made.tokens;
    this.app = made.app;
    this.log = made.log;
    this.metrics = made.metrics;
    this.#end = end;
  }

  static async start(members: Record<string, Member> = {}, options: Options = {}) {
    const { redis: given, orchestrator = true, deps = {}, port = 0, around } = options;
    const redis = given ?? (await startRedisServer());
    const place = placeInRedis(redis);
    const clan = new Clan(place, await place.open(), { contactMs: 0 });
    await clan.join(members);
    if (orchestrator) await clan.startOrchestrator();
    const names = Object.keys(tokenNames) as TokenName[];
    const tokens = Object.fromEntries(
      names.map((name) => [name, randomBytes(24).toString("base64url")]),
    ) as Record<TokenName, string>;
    const over = new AbortController();
    const board = await place.open();
    const log: string[] = [];
    const metrics = createApiMetrics();
    const api = createApi(
      {
        board: around?.(board) ?? board,
        version: "0.0.0-test",
        tokens: names.map((name) => ({
          name,
          sha256: digestOf(tokens[name]).toString("hex"),
          may: [...tokenNames[name]],
        })),
        isSecure: false,
        origins: [],
        metrics,
        log: createJsonLog((line) => log.push(line), systemClock.now),
        clock: systemClock,
        newId: () => crypto.randomUUID(),
        suggest: suggestRequest,
        drawSvg: draw,
        limits: defaultLimits,
        ...deps,
      },
      over.signal,
    );
    const server = serve({ port, hostname: "127.0.0.1", idleSeconds: 60 }, api.app.fetch);
    const running = api.run();
    const url = `http://127.0.0.1:${server.port}`;
    return new ApiScene({ clan, redis, url, tokens, app: api.app, log, metrics }, async () => {
      over.abort();
      await running;
      await server.stop();
      await board[Symbol.asyncDispose]();
      await clan[Symbol.asyncDispose]();
      if (given === undefined) await redis[Symbol.asyncDispose]();
    });
  }

  /** `as`: whose token; a stranger sends none. The answer is held to its schema. */
  async ask(
    method: string,
    path: string,
    { as = "all", body, headers = {} }: AskOptions = {},
  ): Promise<Answer> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(as === "stranger" ? {} : { authorization: `Bearer ${this.tokens[as]}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === "string" || body instanceof Uint8Array
                ? (body as BodyInit)
                : JSON.stringify(body),
          }),
    });
    const text = await answer.text();
    const read = { status: answer.status, headers: answer.headers, text, body: jsonOf(text) };
    const type = answer.headers.get("content-type") ?? "";
    if (method !== "HEAD")
      requireConforming(this.app, method, path.split("?")[0] ?? "", { ...read, type });
    return read;
  }

  get(path: string, options: AskOptions = {}): Promise<Answer> {
    return this.ask("GET", path, options);
  }

  post(path: string, body: unknown = {}, options: AskOptions = {}): Promise<Answer> {
    return this.ask("POST", path, { ...options, body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}

export type AskOptions = {
  as?: TokenName | "stranger";
  body?: unknown;
  headers?: Record<string, string>;
};

/** The text at this place of an answer, such as `items.0.id`. */
export function textAt({ body, text }: Answer, path: string): string {
  let value = body;
  for (const name of path.split("."))
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  if (typeof value === "string") return value;
  throw new Error(`There is no text at ${path} of ${text}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
