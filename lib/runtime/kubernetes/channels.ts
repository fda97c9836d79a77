// Streams through the API server: a command in a pod, and a port of one. Each message of the
// WebSocket begins with the number of its channel.
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { Attended, ExecResult } from "../port.ts";
import { type KubeClient, KubeRefusal } from "./client.ts";
import { pathOf } from "./resources.ts";

/** The fifth version can say that a stream has ended. */
const commandProtocol = "v5.channel.k8s.io";
const portProtocol = "v4.channel.k8s.io";
const openMs = 30_000;
/** So much may wait to be sent before a writer waits. */
const highWater = 1024 * 1024;
const pollMs = 5;

const stdout = 1;
const stderr = 2;
const status = 3;
const size = 4;
const endOf = 255;
const pieceBytes = 64 * 1024;
/** What is between a person and a cluster ends connections through which nothing comes. */
const pingEveryMs = 15_000;

/** Every message as its channel and its bytes. */
type Messages = { onMessage: (channel: number, bytes: Buffer) => void; onEnd: () => void };

/** Throws `kubernetes-unreachable`. */
async function open(
  client: KubeClient,
  path: string,
  protocol: string,
  { onMessage, onEnd }: Messages,
): Promise<WebSocket> {
  const url = client.access.server.replace(/^http/, "ws") + path;
  const options: object = { protocols: [protocol], ...(await client.surroundings()) };
  // The types know the standard alone, which has no place for headers and certificates.
  const socket = new WebSocket(url, options as string[]);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    const bytes = Buffer.from(data as ArrayBuffer);
    if (bytes.length > 0) onMessage(bytes[0] ?? 0, bytes.subarray(1));
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => void whyNot(client, path, why).then(reject);
    const late = setTimeout(() => {
      socket.close();
      fail("a stream was not opened in time");
    }, openMs);
    socket.onopen = () => {
      clearTimeout(late);
      resolve();
    };
    socket.onerror = () => {
      clearTimeout(late);
      fail("it does not open a stream");
    };
    socket.onclose = ({ reason, code }) => {
      clearTimeout(late);
      fail(`it has refused a stream (${reason || code})`);
    };
  });
  socket.onclose = onEnd;
  socket.onerror = onEnd;
  return socket;
}

/** Asked without a stream, the cluster says what it refuses, and why. */
async function whyNot(client: KubeClient, path: string, why: string): Promise<unknown> {
  try {
    await client.ask(path);
  } catch (error) {
    const isRefusal = error instanceof KubeRefusal && [403, 404].includes(error.status);
    if (isRefusal) return error;
  }
  return client.unreachable(why);
}

/** The runtime of a node gives no reason. */
const Cause = z.object({ reason: z.string().default(""), message: z.string().default("") });
const Ended = z.object({
  status: z.string(),
  message: z.string().optional(),
  details: z.object({ causes: z.array(Cause).optional() }).optional(),
});

type Where = { namespace: string; pod: string };
type Command = { words: readonly string[]; isTerminal: boolean };
type Running = {
  socket: WebSocket;
  /** The cluster's word of its end; empty where the stream broke off. */
  ended: Promise<string>;
};

async function run(
  client: KubeClient,
  { namespace, pod }: Where,
  { words, isTerminal }: Command,
  onOutput: (stream: "stdout" | "stderr", bytes: Buffer) => void,
): Promise<Running> {
  const query = new URLSearchParams([
    ...words.map((word) => ["command", word]),
    ...[
      ["stdin", "true"],
      ["stdout", "true"],
      // A terminal has one stream.
      [isTerminal ? "tty" : "stderr", "true"],
      ["container", "part"],
    ],
  ]);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const socket = await open(
    client,
    `${pathOf("Pod", namespace, pod)}/exec?${query}`,
    commandProtocol,
    {
      onMessage: (channel, bytes) => {
        if (channel === stdout) onOutput("stdout", bytes);
        if (channel === stderr) onOutput("stderr", bytes);
        if (channel === status) resolve(bytes.toString());
      },
      onEnd: () => resolve(""),
    },
  );
  return { socket, ended };
}

/** `why`: undefined where the command itself has ended. */
function readEnd(text: string): { exitCode: number; why: string | undefined } {
  const { status, details, message = "" } = Ended.parse(JSON.parse(text));
  if (status === "Success") return { exitCode: 0, why: undefined };
  const cause = details?.causes?.find(({ reason }) => reason === "ExitCode");
  return cause === undefined
    ? { exitCode: 126, why: message }
    : { exitCode: Number(cause.message), why: undefined };
}

/** The types know the standard alone. `terminate`: a silent peer is not waited for. */
type BunSocket = WebSocket & { ping(): void; terminate(): void };

const inputEnd = Buffer.from([endOf, 0]);

function* inPieces(input: Uint8Array) {
  for (let at = 0; at < input.length; at += pieceBytes) yield input.subarray(at, at + pieceBytes);
}

/** Resolves where there is room for more. */
async function send(socket: WebSocket, channel: number, bytes: Uint8Array): Promise<void> {
  socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
  while (socket.readyState === WebSocket.OPEN && socket.bufferedAmount >= highWater)
    await sleep(pollMs);
}

/** Throws `kubernetes-unreachable` and `interrupted`. */
export async function execInPod(
  client: KubeClient,
  where: Where,
  words: readonly string[],
  { stdin = "", signal }: { stdin?: string; signal?: AbortSignal } = {},
): Promise<ExecResult> {
  const texts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const command = { words, isTerminal: false };
  const { socket, ended } = await run(client, where, command, (stream, bytes) =>
    texts[stream].push(bytes),
  );
  const stop = () => socket.close();
  signal?.addEventListener("abort", stop, { once: true });
  for (const piece of inPieces(Buffer.from(stdin))) await send(socket, 0, piece);
  socket.send(inputEnd);
  const end = await ended;
  signal?.removeEventListener("abort", stop);
  socket.close();
  if (signal?.aborted) throw new SettError("interrupted", "Interrupted.");
  if (end === "") throw client.unreachable("the stream of a command broke off");
  const { exitCode, why = "" } = readEnd(end);
  const textOf = (stream: "stdout" | "stderr") => Buffer.concat(texts[stream]).toString();
  return { exitCode, stdout: textOf("stdout"), stderr: textOf("stderr") + why };
}

/**
 * `lost`: rejects where the pod is, which a silent stream does not say. Throws its reason, and
 * `kubernetes-failed` where the cluster does not run the command.
 */
export async function attendInPod(
  client: KubeClient,
  where: Where,
  words: readonly string[],
  { input, onOutput, terminal }: Attended,
  lost: Promise<never>,
): Promise<number> {
  let shown: Promise<unknown> = Promise.resolve();
  const command = { words, isTerminal: terminal !== undefined };
  const { socket, ended } = await run(client, where, command, (stream, bytes) => {
    shown = shown.then(() => onOutput(stream, bytes));
    // It is seen at the end.
    shown.catch(() => undefined);
  });
  const ping = setInterval(() => (socket as BunSocket).ping(), pingEveryMs);
  const fit = () => {
    const { columns: Width = 0, rows: Height = 0 } = terminal?.size() ?? {};
    if (Width > 0 && Height > 0)
      void send(socket, size, Buffer.from(JSON.stringify({ Width, Height })));
  };
  try {
    fit();
    using _ = terminal?.onResize(fit);
    void passOn(input, socket);
    const end = await Promise.race([ended, lost]);
    await shown;
    if (end === "") throw client.unreachable("the stream of a command broke off");
    const { exitCode, why } = readEnd(end);
    if (why === undefined) return exitCode;
    throw new SettError("kubernetes-failed", `The cluster does not run ${words[0]}: ${why}`);
  } finally {
    clearInterval(ping);
    (socket as BunSocket).terminate();
  }
}

/** Never rejects: what ends the command ends its input as well. */
async function passOn(input: AsyncIterable<Uint8Array>, socket: WebSocket): Promise<void> {
  try {
    for await (const bytes of input)
      for (const piece of inPieces(bytes)) await send(socket, 0, piece);
    socket.send(inputEnd);
  } catch {
    // The stream is closed by then.
  }
}

/** Throws `not-ready` where nothing answers there. */
export async function openPort(
  client: KubeClient,
  { namespace, pod }: Where,
  port: number,
): Promise<Duplex> {
  const path = `${pathOf("Pod", namespace, pod)}/portforward?ports=${port}`;
  const stream = new PortStream();
  const socket = await open(client, path, portProtocol, {
    onMessage: (channel, bytes) => stream.receive(channel, bytes),
    onEnd: () => stream.endInput(),
  });
  stream.use(socket);
  return stream;
}

/** The first message of each of the two channels only repeats the port. */
class PortStream extends Duplex {
  #socket: WebSocket | undefined;
  readonly #begun = new Set<number>();
  #isOver = false;

  constructor() {
    super({ allowHalfOpen: false });
  }

  use(socket: WebSocket): void {
    this.#socket = socket;
    if (this.#isOver) socket.close();
  }

  receive(channel: number, bytes: Buffer): void {
    if (this.#isOver) return;
    if (!this.#begun.has(channel)) return void this.#begun.add(channel);
    if (channel === 0) this.push(bytes);
    else if (bytes.length > 0) this.destroy(new SettError("not-ready", bytes.toString().trim()));
  }

  endInput(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.push(null);
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _: string, done: (error?: Error | null) => void): void {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN)
      return done(new Error("the stream to the pod has ended"));
    send(socket, 0, chunk).then(() => {
      const isOpen = socket.readyState === WebSocket.OPEN;
      done(isOpen ? undefined : new Error("the stream to the pod has ended"));
    }, done);
  }

  /** A forwarded port has no half that stays open, and an open one keeps a command from its end. */
  override _final(done: () => void): void {
    this.#socket?.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isOver = true;
    this.#socket?.close();
    done(error);
  }
}
