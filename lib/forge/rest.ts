// Requests to the REST API of a forge: with its token, ETags, pages, and the limits that it states.
import { request as octokit } from "@octokit/request";
import { messageOf } from "../model/errors.ts";
import { ForgeError, type Listed } from "./port.ts";

/** `root`: of the API. */
export type RestOptions = {
  root: string;
  token: string;
  fetch: typeof fetch;
  now: () => number;
};

type Answer = { data: unknown; link: string | undefined; total: number };
type Kept = Answer & { etag: string };

const maxKept = 500;
const timeoutMs = 20_000;
const pageSize = 50;
const maxPages = 10;
/** A forge that says no time is left alone for so long. */
const usualWaitMs = 60_000;
const maxWaitMs = 60 * 60_000;

export class Rest {
  readonly #options: RestOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Undefined where there is nothing (404). Throws `ForgeError`. */
  async find(path: string): Promise<unknown> {
    return (await this.#find(path))?.data;
  }

  async #find(path: string): Promise<Answer | undefined> {
    const kept = this.#kept.get(path);
    const headers = kept === undefined ? {} : { "if-none-match": kept.etag };
    const answer = await this.#send("GET", path, undefined, headers);
    if (answer.status === 304) return kept;
    if (answer.status === 404) return undefined;
    if (answer.etag !== undefined) this.#keep(path, { ...answer, etag: answer.etag });
    return answer;
  }

  /** Throws `ForgeError`, also where there is nothing. */
  async get(path: string): Promise<unknown> {
    return (await this.#get(path)).data;
  }

  async #get(path: string): Promise<Answer> {
    const answer = await this.#find(path);
    if (answer === undefined) throw new ForgeError("refused", `The forge has no ${path} (404).`);
    return answer;
  }

  /**
   * Reads pages until nothing says that there are more, what was read is enough, or there are too
   * many. A page may have less than was asked for: some forges leave out what others may not see.
   */
  async list(
    path: string,
    itemsIn: (page: unknown) => unknown[],
    isEnough: (items: readonly unknown[]) => boolean = () => false,
  ): Promise<Listed<unknown>> {
    const list: unknown[] = [];
    let before = "";
    for (let page = 1; page <= maxPages; page++) {
      const separator = path.includes("?") ? "&" : "?";
      // Each forge reads one of the two names.
      const size = `per_page=${pageSize}&limit=${pageSize}`;
      const answer = await this.#get(`${path}${separator}${size}&page=${page}`);
      const items = itemsIn(answer.data);
      const text = JSON.stringify(items);
      // A list without pages comes again as a whole.
      if (items.length === 0 || text === before) return { list, isWhole: true };
      before = text;
      list.push(...items);
      const isMore =
        items.length >= pageSize ||
        answer.total > list.length ||
        /\brel="next"/.test(answer.link ?? "");
      if (!isMore || isEnough(items)) return { list, isWhole: true };
    }
    return { list, isWhole: false };
  }

  async write(method: "POST" | "PATCH" | "PUT", path: string, body: object): Promise<unknown> {
    const answer = await this.#send(method, path, body);
    if (answer.status === 404)
      throw new ForgeError("refused", `The forge has no ${path}, or the token may not see it.`);
    return answer.data;
  }

  async #send(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string> = {},
  ) {
    const { root, token, fetch: send, now } = this.#options;
    try {
      const {
        status,
        data,
        headers: answered,
      } = await octokit(`${method} ${path}`, {
        baseUrl: root,
        headers: { ...headers, authorization: `Bearer ${token}`, "user-agent": "sett" },
        ...(body !== undefined && { data: body }),
        request: {
          fetch: (url: string, init: RequestInit) =>
            send(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) }),
        },
      });
      if (status >= 300) throw new ForgeError("refused", movedSentence);
      const total = Number(answered["x-total-count"] ?? 0);
      const { etag, link } = answered;
      return { status, data: data as unknown, etag, link, total };
    } catch (error) {
      if (error instanceof ForgeError) throw error;
      const { status, response } = Object(error);
      if (status === 304 || (status === 404 && typeof response === "object"))
        return { ...nothing, status: Number(status) };
      throw failureOf(Object(error), now());
    }
  }

  #keep(path: string, kept: Kept): void {
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}

const nothing = { data: undefined, etag: undefined, link: undefined, total: 0 };

const movedSentence =
  "The forge answers with another address: was the repository renamed or transferred?";

type Failure = {
  status?: unknown;
  message?: unknown;
  response?: { headers?: Record<string, string | undefined>; data?: unknown };
};

function failureOf({ status, message, response }: Failure, now: number): ForgeError {
  const code = typeof status === "number" && response !== undefined ? status : undefined;
  if (code === undefined)
    return new ForgeError("away", `The forge cannot be reached: ${shortOf(messageOf(message))}`);
  if (code >= 300 && code < 400) return new ForgeError("refused", movedSentence);
  const headers = response?.headers ?? {};
  const said = shortOf(Object(response?.data).message ?? message);
  const wait = waitIn(headers, now);
  const isLimited =
    code === 429 || (code === 403 && (wait !== undefined || /rate limit|abuse/i.test(said)));
  if (isLimited)
    return new ForgeError("away", `The forge limits requests: ${said}`, wait ?? usualWaitMs);
  if (code >= 500 || code === 408)
    return new ForgeError("away", `The forge answers ${code}: ${said}`, wait ?? 0);
  return new ForgeError("refused", `The forge refuses it (${code}): ${said}`);
}

/** Undefined where the forge states no limit. */
function waitIn(headers: Record<string, string | undefined>, now: number): number | undefined {
  const after = headers["retry-after"];
  if (after !== undefined) {
    const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
    if (Number.isFinite(ms)) return bounded(ms);
  }
  if (headers["x-ratelimit-remaining"] !== "0") return undefined;
  const reset = Number(headers["x-ratelimit-reset"]) * 1000 - now;
  return Number.isFinite(reset) ? bounded(reset) : usualWaitMs;
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 1_000), maxWaitMs);
}

function shortOf(text: unknown): string {
  return String(text ?? "")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .slice(0, 300);
}
