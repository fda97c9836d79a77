// An authority may answer these in the place of a time stamp: each is refused with a sentence.
import { afterAll, expect, test } from "bun:test";
import { askAuthority } from "../../../../../apps/cli/audit/ask-authority.ts";
import { requireNow } from "../../../../../apps/cli/audit/require-now.ts";
import { clauseOf } from "../../../../../lib/model/errors.ts";
import { errorOf } from "../../../../support/error-of.ts";
import { Authority } from "../../../../support/proof/authority.ts";

const authority = new Authority();
afterAll(async () => {
  authority[Symbol.dispose]();
  await server.stop(true);
});

const signal = new AbortController().signal;
const html = "<html>Our clock is being serviced.</html>";
const answers: Record<string, (query: Uint8Array) => Response | Promise<Response>> = {
  "/right": (query) => new Response(new Uint8Array(authority.stamp(query))),
  "/error": () => new Response(html, { status: 503 }),
  "/page": () => new Response(html, { headers: { "content-type": "text/html" } }),
  "/nothing": () => new Response(""),
  "/silence": () => new Promise(() => {}),
  "/large": () => new Response("x".repeat(10_000_000)),
  "/redirect": () => new Response("", { status: 302, headers: { location: "/right" } }),
  "/other": () => new Response(new Uint8Array(authority.stampOn("the note"))),
  "/elsewhere": () => new Response(new Uint8Array(authority.stampOn("another note"))),
};
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const query = new Uint8Array(await request.arrayBuffer());
    const answer = answers[new URL(request.url).pathname];
    return (await answer?.(query)) ?? new Response("", { status: 404 });
  },
});
const ask = (path: string, patienceMs = 200_000) =>
  askAuthority({ url: `${server.url.origin}${path}`, checkpoint: "the note", signal, patienceMs });

test("a time stamp on the note is taken", async () => {
  expect(await ask("/right")).toMatchObject({ by: "Clock one" });
});

for (const [path, why] of [
  ["/error", "has given no time stamp. It answers with status 503"],
  ["/page", "has given no time stamp. It is no time stamp of RFC 3161"],
  ["/nothing", "has given no time stamp. It is no time stamp of RFC 3161"],
  ["/large", "has not answered as it should: it sends more than 64 KiB"],
  ["/redirect", "has not answered as it should: it leads on to /right, which you can name instead"],
  ["/other", "has given no time stamp. It is the answer to another request"],
  ["/elsewhere", "has given no time stamp. It is a time stamp of something else"],
  ["/none", "has given no time stamp. It answers with status 404"],
] as const)
  test(`what an authority answers at ${path} is refused, and the sentence says why`, async () => {
    const error = await errorOf(ask(path));
    expect(clauseOf(error)).toBe(`${server.url.origin}${path} ${why}`);
    expect(error).toMatchObject({ code: "not-ready" });
  });

test("silence of an authority ends, and so does the wait of a person who interrupts it", async () => {
  const silent = await errorOf(ask("/silence", 20));
  expect(clauseOf(silent)).toEndWith("has not answered as it should: it was silent for 0.02 s");
  const controller = new AbortController();
  const url = `${server.url.origin}/silence`;
  const waiting = askAuthority({ url, checkpoint: "the note", signal: controller.signal });
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("an address that is none, and one where nothing listens, are refused", async () => {
  const at = (url: string) => errorOf(askAuthority({ url, checkpoint: "the note", signal }));
  for (const url of ["timestamp.example", "file:///etc/passwd", "ftp://timestamp.example/"])
    expect(await at(url)).toMatchObject({ code: "usage" });
  expect(await at("http://127.0.0.1:1/")).toMatchObject({
    code: "not-ready",
    message:
      "http://127.0.0.1:1/ has not answered as it should: nothing accepts a connection there.",
  });
});

test("a clock that is far from this machine's is refused in both directions", () => {
  const now = new Date("2026-11-30T12:00:00Z");
  const url = "https://timestamp.example/";
  for (const time of ["2026-11-30T11:56:00Z", "2026-11-30T12:04:00Z"])
    requireNow(new Date(time), url, now);
  for (const time of ["2026-11-30T11:54:00Z", "2026-11-30T12:06:00Z"])
    expect(() => requireNow(new Date(time), url, now)).toThrow(
      `By the clock of ${url} it is ${time.replace("Z", ".000Z")}, and by the clock of this machine`,
    );
});
