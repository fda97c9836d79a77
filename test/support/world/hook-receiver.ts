// A receiver of webhooks: a real HTTP server that records what it gets, and answers as the test
// says.
export type Received = {
  path: string;
  id: string;
  timestamp: string;
  signature: string;
  text: string;
  body: HookBody;
};

export type HookBody = {
  type: string;
  instance: string;
  at: string;
  reminder: number;
  goal: { id: string; summary: string };
  artefact?: { id: string; type: string; by: string; summary: string; text: string };
  approver?: string;
  answer_with?: string[];
};

/** A status, or `hang`: it never answers. */
type Answer = number | "hang";

export type HookReceiver = Disposable & {
  port: number;
  url: string;
  /** Every request, those that are answered with an error too. */
  received: Received[];
  /** The messages of these types that have come. */
  of(...types: string[]): Received[];
  /** It answers so from here on, until it is set again. */
  answer: Answer;
  /** Nothing listens on the port any more. */
  stop(): void;
  /** Listens again, on the same port. */
  start(): void;
};

export function startHookReceiver({
  answer = 204,
  hostname = "127.0.0.1",
}: {
  answer?: Answer;
  hostname?: string;
} = {}): HookReceiver {
  const received: Received[] = [];
  const serve = (port: number) =>
    Bun.serve({
      port,
      hostname,
      fetch: async (request) => {
        const text = await request.text();
        const header = (name: string) => request.headers.get(`webhook-${name}`) ?? "";
        received.push({
          path: new URL(request.url).pathname,
          id: header("id"),
          timestamp: header("timestamp"),
          signature: header("signature"),
          text,
          body: JSON.parse(text),
        });
        if (receiver.answer === "hang") return await new Promise<Response>(() => {});
        const headers = receiver.answer === 302 ? { location: "/elsewhere" } : undefined;
        return new Response(null, { status: receiver.answer, ...(headers && { headers }) });
      },
    });
  let server: ReturnType<typeof serve> | undefined = serve(0);
  const port = server.port ?? 0;
  const receiver: HookReceiver = {
    port,
    url: `http://127.0.0.1:${port}/hooks/a-path-that-is-secret`,
    received,
    of: (...types) => received.filter(({ body }) => types.includes(body.type)),
    answer,
    stop: () => {
      void server?.stop(true);
      server = undefined;
    },
    start: () => {
      server ??= serve(port);
    },
    [Symbol.dispose]: () => void server?.stop(true),
  };
  return receiver;
}
