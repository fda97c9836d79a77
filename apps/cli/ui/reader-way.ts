// The way of the API of `sett ui` to what only the runtime leads to, whichever that is: the logs of
// the instance's parts, and what commands have printed.
import { randomBytes } from "node:crypto";
import type { LogSource } from "../../../lib/logs/log-source.ts";
import { createReaderApp } from "../../../lib/logs/reader-app.ts";
import { RuntimeLogs } from "../../../lib/logs/runtime-logs.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import { Digest } from "../../../lib/model/kept-output.ts";
import { serve } from "../../../lib/service/serve.ts";
import { readKept } from "../instance/read-outputs.ts";
import { runtimeOf } from "../instance/runtimes.ts";
import type { Shell } from "../terminal/shell.ts";

/** `ways`: the variables of the API. */
export type ReaderWay = AsyncDisposable & { ways: Record<string, string> };

export async function openReader(shell: Shell, instance: InstanceName): Promise<ReaderWay> {
  const { observe } = await runtimeOf(shell, instance);
  const read: ReadKept = (goal, digest) => readKept(shell, instance, { goal, digest });
  return serveReader(new RuntimeLogs(observe, instance), read);
}

type ReadKept = (goal: GoalId, digest: string) => Promise<Uint8Array | undefined>;

/** Other users of this machine reach the port as well: only the API knows the path. */
export function serveReader(source: LogSource, read: ReadKept): ReaderWay {
  const logs = createReaderApp(source);
  const secret = randomBytes(32).toString("hex");
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const [, word, ...path] = url.pathname.split("/");
    if (word !== secret) return new Response(null, { status: 404 });
    const [first, goal, digest] = path;
    const [ofGoal, named] = [GoalId.safeParse(goal), Digest.safeParse(digest)];
    if (first === "outputs" && ofGoal.success && named.success)
      return await outputOf(read(ofGoal.data, named.data));
    url.pathname = path.join("/");
    return await logs.fetch(new Request(url, request));
  };
  const server = serve({ port: 0, hostname: "127.0.0.1", isPatient: true }, answer);
  server.unref();
  const place = `http://127.0.0.1:${server.port}/${secret}`;
  return {
    ways: { SETT_LOGS_URL: place, SETT_RECORDER_URL: place },
    [Symbol.asyncDispose]: () => server.stop(0),
  };
}

async function outputOf(reading: ReturnType<ReadKept>): Promise<Response> {
  try {
    const found = await reading;
    return new Response(found && new Uint8Array(found), { status: found ? 200 : 404 });
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return new Response(error.message, { status: 503 });
  }
}
