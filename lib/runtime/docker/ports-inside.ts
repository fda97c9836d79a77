// Ports that a container has and its Engine publishes nowhere: a command in the container passes
// bytes on, and a port of this machine leads to it as long as this program runs.
import { Duplex } from "node:stream";
import type Docker from "dockerode";
import { listenFor } from "../led-port.ts";
import { explain } from "./errors.ts";
import { readFrames } from "./frames.ts";

const redisWay = "/orchestrator";

/**
 * The command in a part's container that passes bytes on to the port. `program`: with which the
 * container begins. Undefined where nothing of this machine asks the part for anything.
 */
export function passingOn(
  component: string,
  program: string | undefined,
  port: number,
): readonly string[] | undefined {
  if (component === "packs") return ["/gateway", "--pass-on"];
  if (component !== "redis") return undefined;
  // The way to a Redis elsewhere has no shell, and passes on itself.
  return program === redisWay ? [redisWay, "--pass-on"] : ["sh", "-c", passOn, String(port)];
}

/**
 * Debian's netcat waits for the other side when its input has ended, unless `-N` says otherwise;
 * others know no such option.
 */
const passOn = `case "$(nc -h 2>&1)" in *-N*) exec nc -N 127.0.0.1 "$0" ;; esac
exec nc 127.0.0.1 "$0"`;

const leading = new WeakMap<Docker, Map<string, Promise<number>>>();
const names = new WeakMap<Docker, string>();

/** `at`: where the Engine is, for sentences. */
export function nameLeader(docker: Docker, at: string): void {
  names.set(docker, `the Docker Engine at ${at}`);
}

type Inside = { container: string; port: number; command: readonly string[] };

/**
 * None where any is published: then the others are those that the image itself declares, which
 * nothing of this machine asks for.
 */
export function portsInside(
  { ExposedPorts = {} }: { ExposedPorts?: object },
  { PortBindings }: { PortBindings?: object | null },
): number[] {
  if (Object.keys(PortBindings ?? {}).length > 0) return [];
  return Object.keys(ExposedPorts).map((each) => Number.parseInt(each, 10));
}

/** A port of this machine, the same each time, and what leads from there. */
export async function leadTo(
  docker: Docker,
  inside: Inside,
): Promise<{ hostPort: number; ledBy: string }> {
  const known = leading.get(docker) ?? new Map<string, Promise<number>>();
  leading.set(docker, known);
  const key = `${inside.container}:${inside.port}`;
  const found = known.get(key) ?? listenFor(() => openInside(docker, inside));
  known.set(key, found);
  return { hostPort: await found, ledBy: names.get(docker) ?? "the Docker Engine" };
}

/** A stream to the port. Throws `docker-failed` and `docker-unreachable`. */
async function openInside(docker: Docker, { container, port, command }: Inside): Promise<Duplex> {
  try {
    const exec = await docker.getContainer(container).exec({
      Cmd: [...command],
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true },
    });
    const stream: Duplex & { unref?(): unknown } = await exec.start({ hijack: true, stdin: true });
    stream.unref?.();
    return new StandardStreams(stream);
  } catch (error) {
    throw explain(error, `reach port ${port} of the container ${container}`);
  }
}

/** The bytes of the command's standard streams; what it says beside them is of no use here. */
class StandardStreams extends Duplex {
  readonly #stream: Duplex;
  #goOn: () => void = () => undefined;

  constructor(stream: Duplex) {
    super();
    this.#stream = stream;
    this.#unpack().then(
      () => this.push(null),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  async #unpack(): Promise<void> {
    for await (const { stream, bytes } of readFrames(this.#stream)) {
      if (stream !== "stdout" || this.push(Buffer.from(bytes))) continue;
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
  }

  override _read(): void {
    this.#goOn();
  }

  override _write(bytes: Uint8Array, _: string, done: (error?: Error | null) => void): void {
    this.#stream.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#stream.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stream.destroy();
    this.#goOn();
    done(error);
  }
}
