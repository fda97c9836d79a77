// A real server that more clients crowd than it may have connections.
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { serveFew } from "../../../../lib/service/serve-few.ts";
import { waitFor } from "../../../support/wait-for.ts";

const most = 4;
const address = { port: 0, hostname: "127.0.0.1", most, maxBodyBytes: 1024 * 1024 };

function client(port: number | undefined, text: string) {
  const socket = connect(port ?? 0, "127.0.0.1");
  const seen = { socket, text: "", isClosed: false };
  socket.on("error", () => undefined);
  socket.on("data", (part) => {
    seen.text += part.toString();
  });
  socket.once("close", () => {
    seen.isClosed = true;
  });
  socket.write(text);
  return seen;
}

test("connections without a request are closed, the oldest first, and a request is answered meanwhile", async () => {
  const server = await serveFew(address, () => new Response("well"));
  const crowd = Array.from({ length: 10 * most }, () => client(server.port, "GET / HT"));
  const closed = () => crowd.filter(({ isClosed }) => isClosed).length;
  await waitFor("the first to be closed", () => closed() >= crowd.length - most);
  expect(await (await fetch(`http://127.0.0.1:${server.port}/healthz`)).text()).toBe("well");
  await waitFor("no more than may be open", () => closed() > crowd.length - most);
  await server.stop();
  await waitFor("all to be closed", () => closed() === crowd.length);
});

test("a request that is being answered is not closed for others, which are closed at once", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  let requests = 0;
  const server = await serveFew(address, () => {
    requests += 1;
    return promise;
  });
  const answered = Array.from({ length: most }, () => fetch(`http://127.0.0.1:${server.port}/`));
  await waitFor("the requests", () => requests === most);
  const more = client(server.port, "GET / HTTP/1.1\r\n\r\n");
  await waitFor("the end of one more", () => more.isClosed);
  resolve(new Response("done"));
  for (const answer of answered) expect((await answer).status).toBe(200);
  await server.stop();
});

test("bodies of known length and in chunks, streams and answers without a body pass whole", async () => {
  const server = await serveFew(address, async (request) => {
    const text = await request.text();
    if (text === "") return new Response(null, { status: 204, headers: { "x-none": "1" } });
    const parts = [text, request.headers.get("x-who") ?? "", new URL(request.url).search];
    return new Response(new Blob([parts.join("|")]).stream(), { status: 201 });
  });
  const url = `http://127.0.0.1:${server.port}/path?q=1`;
  const long = "ä".repeat(300_000);
  const headers = { "x-who": "me" };
  const whole = await fetch(url, { method: "POST", body: long, headers });
  expect([whole.status, await whole.text()]).toEqual([201, `${long}|me|?q=1`]);
  const chunks = ["POST /a HTTP/1.1", "transfer-encoding: chunked", "", "3;x=y", "abc", "2", "de"];
  const chunked = client(server.port, [...chunks, "0", "", ""].join("\r\n"));
  await waitFor("the answer", () => chunked.isClosed);
  expect(chunked.text).toContain("abcde||");
  const none = await fetch(url);
  expect([none.status, none.headers.get("x-none")]).toEqual([204, "1"]);
  await server.stop();
});

test("a body of many small chunks costs what its bytes cost, and leaves others their turn", async () => {
  const server = await serveFew(address, async (request) => {
    return new Response(String((await request.arrayBuffer()).byteLength));
  });
  const count = 100_000;
  const body = `${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`;
  const head = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n";
  const chunked = client(server.port, head + body);
  await waitFor("the answer", () => chunked.isClosed);
  expect(chunked.text).toContain(`\r\n${count}\r\n`);
  await server.stop();
});

test.each([
  ["no request", "hello\r\n\r\n", 400],
  ["a path that is none", "GET x HTTP/1.1\r\n\r\n", 400],
  ["a header without a colon", "GET / HTTP/1.1\r\nx\r\n\r\n", 400],
  ["a body that is too large", "POST / HTTP/1.1\r\ncontent-length: 2000000\r\n\r\n", 413],
])("%s is refused", async (_, text, status) => {
  const server = await serveFew(address, () => new Response("well"));
  const refused = client(server.port, text);
  await waitFor("the end", () => refused.isClosed);
  expect(refused.text).toStartWith(`HTTP/1.1 ${status} `);
  await server.stop();
});

test("an answer that fails in the middle is not taken for whole, and a client that leaves is noticed", async () => {
  let signal: AbortSignal | undefined;
  const server = await serveFew(address, (request) => {
    ({ signal } = request);
    if (request.url.endsWith("/wait")) return new Promise<Response>(() => undefined);
    const broken = async function* () {
      yield "first";
      throw new Error("It breaks.");
    };
    return new Response(broken() as unknown as ReadableStream);
  });
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(await answer.text().catch(() => "broken off")).toBe("broken off");
  const leaving = client(server.port, "GET /wait HTTP/1.1\r\n\r\n");
  await waitFor("the request", () => signal !== undefined && !signal.aborted);
  leaving.socket.end();
  await waitFor("its end", () => signal?.aborted);
  await server.stop();
});

test("a port that is taken is an error that says so", async () => {
  const server = await serveFew(address, () => new Response("well"));
  const again = serveFew({ ...address, port: server.port ?? 0 }, () => new Response("well"));
  expect(await again.catch(({ code, message }) => [code, message])).toEqual([
    "port-unusable",
    `The health port ${server.port} is used by another program.`,
  ]);
  await server.stop();
});
