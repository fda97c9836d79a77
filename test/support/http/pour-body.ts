// A client that sends a body which does not end, to see how much of it a service takes in.
import { connect } from "node:net";

/**
 * Goes on sending a body in chunks as fast as it is taken, or says nothing after the first.
 * `sentBytes`: what the system has taken.
 */
export function pourBody(
  url: string,
  path: string,
  headers: Record<string, string>,
  { isSilent, chunks = Number.POSITIVE_INFINITY }: { isSilent: boolean; chunks?: number },
) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const chunk = Buffer.concat([
    Buffer.from("10000\r\n"),
    Buffer.alloc(65_536, "x"),
    Buffer.from("\r\n"),
  ]);
  const sender = {
    answer: "",
    sentBytes: 0,
    isClosed: false,
    [Symbol.dispose]: () => void socket.destroy(),
  };
  const send = () => {
    while (!sender.isClosed) {
      if (sender.sentBytes >= chunks * chunk.length) return void socket.write("0\r\n\r\n");
      sender.sentBytes += chunk.length;
      if (!socket.write(chunk) || isSilent) return;
    }
  };
  if (!isSilent) socket.on("drain", send);
  socket.on("error", () => undefined);
  socket.on("data", (part) => {
    sender.answer += String(part);
  });
  socket.once("close", () => {
    sender.isClosed = true;
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${lines.join("")}\r\n`,
  );
  send();
  return sender;
}
