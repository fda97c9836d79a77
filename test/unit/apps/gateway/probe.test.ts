import { expect, test } from "bun:test";
import { probeModels } from "../../../../apps/gateway/probe.ts";
import type { ModelSettings } from "../../../../lib/model/config-models.ts";

const key = "sk-a-secret-key";

function provider(answer: (request: Request) => Response | Promise<Response>) {
  const requests: [path: string, bearer: string | null, key: string | null][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      requests.push([
        new URL(request.url).pathname,
        request.headers.get("authorization"),
        request.headers.get("x-api-key"),
      ]);
      return answer(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function model(base_url: string, over: Partial<ModelSettings> = {}): ModelSettings {
  return {
    provider: "openai",
    model: "m",
    base_url,
    parallel: 1,
    timeout_ms: 1_000,
    needs_key: true,
    ...over,
  };
}

const probe = async (
  settings: ModelSettings,
  keys: Record<string, string> = { strong: key },
  within: Parameters<typeof probeModels>[2] = { timeoutMs: 5_000 },
) =>
  (
    await probeModels(new Map([["strong", settings]]), { read: async (name) => keys[name] }, within)
  ).map(({ problem }) => problem);

test("a provider that answers, also that it has no such list, is no problem; it gets the key as its API wants it", async () => {
  await using own = provider(() => new Response("no such path", { status: 404 }));
  expect(await probe(model(own.url))).toEqual([]);
  expect(await probe(model(own.url, { provider: "anthropic" }))).toEqual([]);
  expect(await probe(model(own.url, { needs_key: false }), {})).toEqual([]);
  expect(own.requests).toEqual([
    ["/v1/models", `Bearer ${key}`, null],
    ["/v1/models", null, key],
    ["/v1/models", null, null],
  ]);
});

test("a refused key is named by its model, never by its value", async () => {
  await using own = provider(
    ({ headers }) => new Response(`no ${headers.get("authorization")}`, { status: 401 }),
  );
  expect(await probe(model(own.url))).toEqual([
    `${own.url} refuses the key of the model strong (401)`,
  ]);
});

test("a provider that cannot be reached, is broken or does not answer is named with its address", async () => {
  expect(await probe(model("http://127.0.0.1:1/v1"))).toEqual([
    "http://127.0.0.1:1/v1, of the model strong, cannot be reached: connection refused",
  ]);
  await using broken = provider(() => new Response("", { status: 503 }));
  expect(await probe(model(broken.url))).toEqual([
    `${broken.url}, of the model strong, answers with 503`,
  ]);
  await using silent = provider(() => new Promise(() => {}));
  expect(await probe(model(silent.url), { strong: key }, { timeoutMs: 50 })).toEqual([
    `${silent.url}, of the model strong, cannot be reached: no answer within 0.05 s`,
  ]);
});

test("where a provider cannot be reached, the proxy in between is named", async () => {
  const within = { timeoutMs: 5_000, wayTo: (url: string) => ` (by way of ${url})` };
  expect(await probe(model("http://127.0.0.1:1/v1"), undefined, within)).toEqual([
    "http://127.0.0.1:1/v1, of the model strong, cannot be reached: connection refused (by way of http://127.0.0.1:1/v1)",
  ]);
  await using busy = provider(() => new Response("", { status: 503 }));
  expect(await probe(model(busy.url), undefined, within)).toEqual([
    `${busy.url}, of the model strong, answers with 503 (by way of ${busy.url})`,
  ]);
});

test("a model whose key is missing is not asked about", async () => {
  await using own = provider(() => new Response("", { status: 401 }));
  expect(await probe(model(own.url), {})).toEqual([]);
  expect(own.requests).toHaveLength(0);
});
