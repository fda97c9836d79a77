import { afterAll, expect, test } from "bun:test";
import { askApi, readAnswer } from "../../../../../lib/client/remote/api-client.ts";
import { serve } from "../../../../../lib/service/serve.ts";
import { errorOf } from "../../../../support/error-of.ts";

const later = Promise.withResolvers<void>();
const never = new Promise<Response>(() => undefined);
const encoder = new TextEncoder();

/** `/stream` begins at once, and goes on when the test wants it. */
const server = serve({ port: 0, hostname: "127.0.0.1", isPatient: true }, (request: Request) => {
  if (!request.url.endsWith("/stream")) return never;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encoder.encode("first "));
      await later.promise;
      controller.enqueue(encoder.encode("last"));
      controller.close();
    },
  });
  return new Response(body);
});
const api = { url: `http://127.0.0.1:${server.port}`, token: "secret" };

afterAll(() => later.resolve());

test("an API that hangs is given up after a short time, in a sentence", async () => {
  const error = await errorOf(askApi(api, { path: "/v1/instance", patienceMs: 50 }));
  expect(error).toMatchObject({
    code: "api-unreachable",
    exitCode: 1,
    message: `The API at ${api.url} does not answer: it has sent nothing for 0.05 s`,
  });
});

test("an answer of another form is that of another program or version", async () => {
  const parse = (text: string) => JSON.parse(text);
  expect(await readAnswer(new Response("[1]"), api.url, parse)).toEqual([1]);
  expect(await errorOf(readAnswer(new Response("<html>"), api.url, parse))).toMatchObject({
    code: "api-unreachable",
    message: `What answers at ${api.url} is no API of Sett, or one of another version.`,
  });
});

test("a stream that has begun has no limit, however long it is silent", async () => {
  const stream = await askApi(api, { path: "/stream", isStream: true, patienceMs: 5_000 });
  await errorOf(askApi(api, { path: "/v1/instance", patienceMs: 5_100 }));
  later.resolve();
  expect(await stream.text()).toBe("first last");
});
