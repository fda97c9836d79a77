// Logs from the reader beside the API, which alone reaches the container runtime: HTTP at a socket of the file system.
import { SettError } from "../../../lib/model/errors.ts";
import { reachable } from "../../../lib/service/forward.ts";
import type { Logs } from "../deps.ts";

/** `socket`: the path of the reader's socket. It answers `GET /NAME?tail=N&follow=true` with lines; logs-app.ts is such a reader. */
export function socketLogs(socket: string): Logs {
  let base: Promise<string> | undefined;
  return {
    async *read(name, { tail, follow, signal }) {
      base ??= reachable(`unix:${socket}`);
      const address = `${await base}/${encodeURIComponent(name)}?tail=${tail}&follow=${follow}`;
      const answer = await fetch(address, { signal }).catch((cause: unknown) => {
        throw new SettError("not-ready", "The reader of logs does not answer.", {
          hint: "Its container may be starting: try again.",
          cause,
        });
      });
      if (answer.status === 404)
        throw new SettError("agent-not-found", `There is no agent ${name}.`, { hint: "`/v1/agents` lists them." });
      if (!answer.ok) throw new SettError("not-ready", `The reader of logs answers ${answer.status}.`);
      yield* linesOf(answer.body ?? new ReadableStream());
    },
  };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
    rest += first;
    for (const line of more) {
      yield rest;
      rest = line;
    }
  }
  if (rest !== "") yield rest;
}
