// Requests to the API server of a cluster. It is small on purpose: objects are JSON, and what is
// read of them is parsed by those who read it (docs/internals/decisions.md).
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { messageOf, SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ClusterAccess } from "./kubeconfig.ts";
import { refuserIn } from "./refusal.ts";
import { type Kind, pathOf } from "./resources.ts";

/** Who owns the fields that Sett writes. */
export const fieldManager = "sett";

export type KubeObject = {
  apiVersion: string;
  kind: Kind;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
} & Record<string, unknown>;

type Request = {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  query?: Record<string, string>;
  body?: unknown;
  type?: string;
  signal?: AbortSignal | undefined;
  /** It goes on until it is aborted. */
  isStream?: boolean;
};

const answerMs = 30_000;
/** A server that has too much to do says for how long, in seconds. */
const maxTries = 6;

const Status = z.object({ message: z.string().optional(), reason: z.string().optional() });

/** The server has said no. `reason`: its own word, such as `AlreadyExists`. */
export class KubeRefusal extends SettError {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string, hint?: string) {
    super("kubernetes-failed", message, { hint });
    this.status = status;
    this.reason = reason;
  }
}

/** Every method throws `kubernetes-unreachable`, and KubeRefusal. */
export class KubeClient {
  readonly access: ClusterAccess;

  constructor(access: ClusterAccess) {
    this.access = access;
  }

  /** Undefined where there is none. */
  async find(kind: Kind, namespace: string, name: string): Promise<unknown> {
    return await ifThere(this.json(pathOf(kind, namespace, name)));
  }

  async list(kind: Kind, namespace: string, selector = ""): Promise<unknown> {
    return await this.json(pathOf(kind, namespace), {
      query: selector === "" ? {} : { labelSelector: selector },
    });
  }

  /** False where there is one of that name. */
  async create(object: KubeObject, namespace: string): Promise<boolean> {
    try {
      const query = { fieldManager };
      await this.json(pathOf(object.kind, namespace), { method: "POST", body: object, query });
      return true;
    } catch (error) {
      if (error instanceof KubeRefusal && error.reason === "AlreadyExists") return false;
      throw error;
    }
  }

  /**
   * Server-side apply: fields of others stay. Throws KubeRefusal where another owns a field that
   * would become another one, unless `force` takes it over.
   */
  async apply(
    object: KubeObject,
    namespace: string,
    { force = false }: { force?: boolean } = {},
  ): Promise<unknown> {
    return await this.json(pathOf(object.kind, namespace, object.metadata.name), {
      method: "PATCH",
      type: "application/apply-patch+yaml",
      query: { fieldManager, ...(force && { force: "true" }) },
      body: object,
    });
  }

  async merge(kind: Kind, namespace: string, name: string, change: object): Promise<unknown> {
    return await this.json(pathOf(kind, namespace, name), {
      method: "PATCH",
      type: "application/merge-patch+json",
      query: { fieldManager },
      body: change,
    });
  }

  /** Gone already is fine. */
  async remove(
    kind: Kind,
    namespace: string,
    name: string,
    graceSeconds?: number,
    preconditions?: { uid: string },
  ): Promise<void> {
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Background",
      ...withoutUndefined({ gracePeriodSeconds: graceSeconds, preconditions }),
    };
    await ifThere(this.json(pathOf(kind, namespace, name), { method: "DELETE", body }));
  }

  async json(path: string, request: Request = {}): Promise<unknown> {
    return await (await this.ask(path, request)).json();
  }

  async ask(path: string, request: Request = {}): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#send(path, request);
      if (answer.ok) return answer;
      if (answer.status !== 429 || tries === maxTries)
        throw await this.#refusalOf(answer, request, path);
      const seconds = Number(answer.headers.get("retry-after") ?? 1);
      await answer.body?.cancel();
      await sleep(1_000 * Math.min(30, Number.isFinite(seconds) ? Math.max(seconds, 1) : 1));
    }
  }

  async #send(path: string, { method = "GET", query, body, type, ...more }: Request) {
    const { server } = this.access;
    const { headers, ...way } = await this.surroundings();
    const url = `${server}${path}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
    const limit = more.isStream ? [] : [AbortSignal.timeout(answerMs)];
    const signal = AbortSignal.any([...limit, ...(more.signal ? [more.signal] : [])]);
    const content = type ?? (body === undefined ? undefined : "application/json");
    try {
      return await fetch(url, {
        ...{ method, signal, ...way },
        headers: { ...headers, ...(content !== undefined && { "content-type": content }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      if (more.signal?.aborted) throw new SettError("interrupted", "Interrupted.", { cause });
      throw this.unreachable(messageOf(cause), cause);
    }
  }

  /** What each connection needs. */
  async surroundings() {
    const { ca, serverName, isUnverified, credential, proxy } = this.access;
    const { cert, key, authorization } = await credential();
    const tls = { ...withoutUndefined({ ca, cert, key, serverName }) };
    return {
      tls: { ...tls, rejectUnauthorized: !isUnverified },
      ...withoutUndefined({ proxy }),
      // A stream is refused where it says what it accepts.
      headers: { ...withoutUndefined({ authorization }) },
    };
  }

  unreachable(why: string, cause?: unknown): SettError {
    const { server, context, proxy } = this.access;
    const way = proxy === undefined ? "" : ` by the proxy ${new URL(proxy).host}`;
    return new SettError(
      "kubernetes-unreachable",
      `The API server of the context ${context}, ${server}, does not answer${way}: ${why}`,
      { hint: `Does \`kubectl --context ${context} version\` work?`, cause },
    );
  }

  async #refusalOf(answer: Response, { method = "GET" }: Request, path: string) {
    const text = await answer.text().catch(() => "");
    const { message = text.slice(0, 300), reason = "" } = statusIn(text);
    const { context } = this.access;
    if (answer.status === 401)
      return new SettError(
        "kubernetes-unreachable",
        `The cluster does not accept the credentials of the context ${context}.`,
        { hint: `They may have expired: \`kubectl --context ${context} auth whoami\`` },
      );
    const what = method === "GET" ? `read ${path}` : `do what sett asks it (${method} ${path})`;
    const [, namespace = ""] = /\/namespaces\/([^/]+)/.exec(path) ?? [];
    return new KubeRefusal(
      answer.status,
      reason,
      `The cluster does not ${what}: ${message || `status ${answer.status}`}`,
      refuserIn(message, namespace)?.remedy,
    );
  }
}

function statusIn(text: string): z.infer<typeof Status> {
  try {
    return Status.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

export async function ifThere<Value>(asking: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof KubeRefusal && error.status === 404) return undefined;
    throw error;
  }
}
