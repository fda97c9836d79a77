// Streams through the API server: a command in a pod, and a port of one. Each message of the
// WebSocket begins with the number of its channel.
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { ExecResult } from "../port.ts";
import type { KubeClient } from "./client.ts";
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
const endOf = 255;
const pieceBytes = 64 * 1024;

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
    const fail = (why: string) => reject(client.unreachable(why));
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

const Ended = z.object({
  status: z.string(),
  message: z.string().optional(),
  details: z
    .object({ causes: z.array(z.object({ reason: z.string(), message: z.string() })).optional() })
    .optional(),
});

type Where = { namespace: string; pod: string };

/** Throws `kubernetes-unreachable` and `interrupted`. */
export async function execInPod(
  client: KubeClient,
  { namespace, pod }: Where,
  command: readonly string[],
  { stdin = "", signal }: { stdin?: string; signal?: AbortSignal } = {},
): Promise<ExecResult> {
  const query = new URLSearchParams([
    ...command.map((word) => ["command", word]),
    ...[
      ["stdin", "true"],
      ["stdout", "true"],
      ["stderr", "true"],
      ["container", "part"],
    ],
  ]);
  const texts: Buffer[][] = [[], [], [], []];
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = await open(
    client,
    `${pathOf("Pod", namespace, pod)}/exec?${query}`,
    commandProtocol,
    {
      onMessage: (channel, bytes) => {
        texts[channel]?.push(bytes);
        if (channel === status) resolve();
      },
      onEnd: resolve,
    },
  );
  const stop = () => socket.close();
  signal?.addEventListener("abort", stop, { once: true });
  const input = Buffer.from(stdin);
  for (let at = 0; at < input.length; at += pieceBytes)
    socket.send(Buffer.concat([Buffer.from([0]), input.subarray(at, at + pieceBytes)]));
  socket.send(Buffer.from([endOf, 0]));
  await promise;
  signal?.removeEventListener("abort", stop);
  socket.close();
  if (signal?.aborted) throw new SettError("interrupted", "Interrupted.");
  const textOf = (channel: number) => Buffer.concat(texts[channel] ?? []).toString();
  if (textOf(status) === "") throw client.unreachable("the stream of a command broke off");
  const ended = Ended.parse(JSON.parse(textOf(status)));
  const cause = ended.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const exitCode = ended.status === "Success" ? 0 : Number(cause?.message ?? 126);
  const why = cause === undefined && exitCode !== 0 ? (ended.message ?? "") : "";
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) + why };
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
    socket.send(Buffer.concat([Buffer.from([0]), chunk]));
    const next = () => {
      if (socket.readyState !== WebSocket.OPEN) done(new Error("the stream to the pod has ended"));
      else if (socket.bufferedAmount < highWater) done();
      else setTimeout(next, pollMs);
    };
    next();
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
