// The page as its readers have it: the API that serves it, over a clan on a real Redis. The API can
// be killed and started again.

import { randomBytes } from "node:crypto";
import { buildPage } from "../../../.ci/page.ts";
import { digestOf, type KnownToken } from "../../../apps/api/access/tokens.ts";
import { createApi } from "../../../apps/api/app.ts";
import { type Deps, defaultLimits } from "../../../apps/api/deps.ts";
import { createApiMetrics } from "../../../apps/api/metrics.ts";
import { suggestRequest } from "../../../apps/api/over-http.ts";
import { pageOf } from "../../../apps/api/page.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { draw } from "../../../lib/drawing/draw.ts";
import { allRights, type Right } from "../../../lib/model/api-access.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { serve } from "../../../lib/service/serve.ts";
import { freePort, startRedisServer } from "../redis/redis-server.ts";
import { root } from "../root.ts";
import { Clan, type Member } from "../world/clan.ts";
import { placeInRedis } from "../world/redis-place.ts";

/** One process's API with the page; `token`: with all rights. */
export class ServedPage implements AsyncDisposable {
  readonly url: string;
  readonly log: string[] = [];
  readonly #open: () => Promise<PersonBlackboard>;
  readonly #pack: string;
  readonly #tokens = new Map<string, string>();
  readonly #known: KnownToken[] = [];
  readonly #deps: Partial<Deps>;
  readonly #port: number;
  #sessionKey = randomBytes(32);
  #end: (() => Promise<void>) | undefined;

  private constructor(
    open: () => Promise<PersonBlackboard>,
    pack: string,
    port: number,
    deps: Partial<Deps>,
  ) {
    this.#open = open;
    this.#pack = pack;
    this.#port = port;
    this.#deps = deps;
    this.url = `http://127.0.0.1:${port}`;
    this.addToken("ada", allRights);
    this.addToken("grace", allRights);
    this.addToken("reader", ["read"]);
  }

  /** `open`: gives the API a connection of its own. */
  static async start(
    open: () => Promise<PersonBlackboard>,
    deps: Partial<Deps> = {},
  ): Promise<ServedPage> {
    const pack = await Bun.file(`${root}/${await buildPage()}`).text();
    const served = new ServedPage(open, pack, await freePort(), deps);
    await served.run();
    return served;
  }

  /** The next start of the API does not know the sessions of before. Without this, it does. */
  forgetSessions(): void {
    this.#sessionKey = randomBytes(32);
  }

  /** `actor`: on record; without it `person:NAME`. The next start of the API knows it. */
  addToken(name: string, may: readonly Right[], actor?: string): void {
    const token = randomBytes(24).toString("base64url");
    this.#tokens.set(name, token);
    this.#known.push({
      name,
      sha256: digestOf(token).toString("hex"),
      may: [...may],
      ...(actor && { actor }),
    });
  }

  /** An address that opens a view, such as `#/inbox`, for the person of this token. */
  address(view: string, as = "ada"): string {
    return `${this.url}/?token=${this.#tokens.get(as)}${view}`;
  }

  async run(): Promise<void> {
    const over = new AbortController();
    const board = await this.#open();
    const deps: Deps = {
      board,
      version: "0.0.0-test",
      tokens: this.#known,
      sessionKey: this.#sessionKey,
      isSecure: false,
      origins: [],
      metrics: createApiMetrics(),
      log: createJsonLog((line) => this.log.push(line), systemClock.now),
      clock: systemClock,
      newId: () => crypto.randomUUID(),
      suggest: suggestRequest,
      drawSvg: draw,
      limits: { ...defaultLimits, requestsPerMinute: 100_000 },
      ...this.#deps,
    };
    const api = createApi(deps, over.signal, { page: pageOf(this.#pack) });
    const server = serve(
      { port: this.#port, hostname: "127.0.0.1", idleSeconds: 60 },
      api.app.fetch,
    );
    const running = api.run();
    this.#end = async () => {
      over.abort();
      await running;
      await server.stop();
      await board[Symbol.asyncDispose]();
    };
  }

  /** As if its process had died: connections end, and the next ones are refused. */
  async kill(): Promise<void> {
    await this.#end?.();
    this.#end = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** A clan on a Redis of its own, and the page on it. */
export async function startPageScene(
  members: Record<string, Member>,
  policy: Partial<Policy> = {},
  deps: Partial<Deps> = {},
) {
  await using parts = new AsyncDisposableStack();
  const redis = parts.use(await startRedisServer());
  const place = placeInRedis(redis);
  const clan = parts.use(new Clan(place, await place.open(), { contactMs: 0, policy }));
  await clan.join(members);
  await clan.startOrchestrator();
  const page = parts.use(await ServedPage.start(() => place.open(), deps));
  const all = parts.move();
  return { clan, page, redis, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
