// A real server with connections that would stay open for ever.
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { serve } from "../../../../lib/service/serve.ts";
import { waitFor } from "../../../support/wait-for.ts";

const graceMs = 200;
const head = "HTTP/1.1\r\nHost: x\r\n";

/** A server, and a client that has sent it this text. */
async function askedWith(text: string) {
  let isAsked = false;
  const server = serve({ port: 0, hostname: "127.0.0.1", isPatient: true }, async (request) => {
    isAsked = true;
    if (request.method === "POST") return new Response(await request.text());
    // This stream has a first part, and no end.
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("x")) }),
    );
  });
  const socket = connect(server.port ?? 0, "127.0.0.1");
  const client = { socket, isClosed: false };
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  socket.once("close", () => {
    client.isClosed = true;
  });
  await new Promise((sent) => socket.write(text, sent));
  return { server, client, isAsked: () => isAsked };
}

test.each([
  ["a stream is read", `GET / ${head}\r\n`],
  ["a body is not whole", `POST / ${head}Content-Length: 100\r\n\r\nabc`],
])("a server stops soon while %s", async (_, text) => {
  const { server, client, isAsked } = await askedWith(text);
  await waitFor("the request", isAsked);
  await server.stop(graceMs);
  await waitFor("the connection to be closed", () => client.isClosed);
});

test("a request that has arrived is answered while the server stops", async () => {
  const answer = Promise.withResolvers<Response>();
  let isAsked = false;
  const server = serve({ port: 0, hostname: "127.0.0.1" }, () => {
    isAsked = true;
    return answer.promise;
  });
  const response = fetch(`http://127.0.0.1:${server.port}/`);
  await waitFor("the request", () => isAsked);
  const stopped = server.stop(60_000);
  answer.resolve(new Response("done"));
  expect(await (await response).text()).toBe("done");
  await stopped;
});
