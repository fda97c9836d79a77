// A client of the gateway that takes each byte as it arrives. Bun's own forgets what has arrived
// where it learns in the same moment that the connection is broken, as it does on a busy machine.
import { connect } from "node:net";
import type { GatewayScene } from "./gateway-scene.ts";

/**
 * The text that arrives, and whether the connection broke before its end. `onText` is called with
 * all the text so far.
 */
export async function readStream(
  { url, token }: Pick<GatewayScene, "url" | "token">,
  path: string,
  body: unknown,
  onText = (_: string) => {},
): Promise<{ text: string; isBroken: boolean }> {
  const { hostname, port } = new URL(url);
  const sent = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${token}`,
    `content-length: ${sent.length}`,
  ];
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let received = "";
  socket.on("error", () => undefined);
  socket.on("data", (part) => {
    received += part;
    const { text, isWhole } = bodyIn(received);
    onText(text);
    if (isWhole) socket.destroy();
  });
  socket.write(`${head.join("\r\n")}\r\ncontent-type: application/json\r\n\r\n${sent}`);
  await closed;
  const { text, isWhole } = bodyIn(received);
  return { text, isBroken: !isWhole };
}

/** The body of an answer: of a known length, or in chunks. */
function bodyIn(received: string): { text: string; isWhole: boolean } {
  const begin = received.indexOf("\r\n\r\n");
  if (begin === -1) return { text: "", isWhole: false };
  const length = /^content-length: (\d+)/im.exec(received.slice(0, begin))?.[1];
  const body = received.slice(begin + 4);
  if (length !== undefined) return { text: body, isWhole: body.length === Number(length) };
  let text = "";
  for (let at = 0; at <= body.length; ) {
    const end = body.indexOf("\r\n", at);
    if (end === -1) break;
    const size = Number.parseInt(body.slice(at, end), 16);
    if (size === 0) return { text, isWhole: true };
    text += body.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return { text, isWhole: false };
}
