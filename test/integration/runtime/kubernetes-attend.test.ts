// A person at a command in a pod, through an API server that plays the pod.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { attendInPod } from "../../../lib/runtime/kubernetes/channels.ts";
import { KubeClient } from "../../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../../lib/runtime/kubernetes/kubeconfig.ts";
import type { Attended } from "../../../lib/runtime/port.ts";
import { configFolder } from "../../support/config/config-file.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(200_000);

type Message = { channel: number; text: string };
type Pod = {
  /** `send`: a message to the person. */
  hear(message: Message, send: (channel: number, text: string) => void, end: () => void): void;
  refusal?: Response;
};

const ended = (exitCode: number) =>
  JSON.stringify({
    status: "Failure",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  });

async function scene({ hear, refusal }: Pod) {
  const queries: URLSearchParams[] = [];
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: (request, own) => {
      queries.push(new URL(request.url).searchParams);
      if (refusal !== undefined) return refusal.clone();
      const headers = { "sec-websocket-protocol": "v5.channel.k8s.io" };
      return own.upgrade(request, { headers }) ? undefined : new Response(null, { status: 400 });
    },
    websocket: {
      message: (socket, data) => {
        const [channel = 0, ...bytes] = Buffer.from(data);
        const send = (to: number, text: string) =>
          void socket.send(Buffer.concat([Buffer.from([to]), Buffer.from(text)]));
        hear({ channel, text: Buffer.from(bytes).toString() }, send, () => socket.terminate());
      },
    },
  });
  const kubeconfig = JSON.stringify({
    "current-context": "here",
    clusters: [{ name: "one", cluster: { server: server.url.href.replace(/\/$/, "") } }],
    contexts: [{ name: "here", context: { cluster: "one", user: "ada" } }],
    users: [{ name: "ada", user: { token: "word" } }],
  });
  const made = await configFolder({ config: kubeconfig });
  const client = new KubeClient(
    await findCluster({ KUBECONFIG: join(made.folder, "config") }, undefined),
  );
  return {
    queries,
    attend: (attended: Attended, lost: Promise<never> = new Promise(() => {})) =>
      attendInPod(client, { namespace: "team", pod: "pod" }, ["sh", "-c", "x"], attended, lost),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await made[Symbol.asyncDispose]();
    },
  };
}

/** `typed`: all of it, and then its end, except on a terminal. */
function person(typed: readonly string[], terminal?: Attended["terminal"]) {
  const printed = { stdout: "", stderr: "" };
  const input = (async function* () {
    for (const text of typed) yield new TextEncoder().encode(text);
    if (terminal !== undefined) await new Promise(() => {});
  })();
  const onOutput: Attended["onOutput"] = async (stream, bytes) => {
    printed[stream] += Buffer.from(bytes).toString();
  };
  return { printed, attended: { input, onOutput, ...(terminal && { terminal }) } };
}

test("without a terminal both streams are apart, input has an end, and the exit code is the command's", async () => {
  let read = "";
  await using pod = await scene({
    hear: ({ channel, text }, send) => {
      if (channel === 0) read += text;
      if (channel !== 255) return;
      send(1, `out ${read}`);
      send(2, "err");
      send(3, ended(7));
    },
  });
  const { printed, attended } = person(["one ", "two"]);
  expect(await pod.attend(attended)).toBe(7);
  expect(printed).toEqual({ stdout: "out one two", stderr: "err" });
  const [query] = pod.queries;
  expect(query?.getAll("command")).toEqual(["sh", "-c", "x"]);
  expect([query?.get("tty"), query?.get("stderr"), query?.get("container")]).toEqual([
    null,
    "true",
    "part",
  ]);
});

test("on a terminal there is one stream, and each size of it goes there", async () => {
  const sizes: string[] = [];
  await using pod = await scene({
    hear: ({ channel, text }, send) => {
      if (channel === 4) sizes.push(text);
      if (channel === 0) send(1, text);
      if (sizes.length === 2) send(3, JSON.stringify({ status: "Success" }));
    },
  });
  let columns = 77;
  let resize = () => {};
  const { printed, attended } = person(["x"], {
    size: () => ({ columns, rows: 22 }),
    onResize: (listener) => {
      resize = listener;
      return { [Symbol.dispose]: () => {} };
    },
  });
  const attending = pod.attend(attended);
  await waitFor("what was typed to be shown", () => printed.stdout === "x");
  columns = 99;
  resize();
  expect(await attending).toBe(0);
  expect(sizes.map((text) => JSON.parse(text))).toEqual([
    { Width: 77, Height: 22 },
    { Width: 99, Height: 22 },
  ]);
  expect([pod.queries[0]?.get("tty"), pod.queries[0]?.get("stderr")]).toEqual(["true", null]);
});

test("a stream that breaks off, a command that is not there, and a pod that is lost have no exit code", async () => {
  const of = (hear: Pod["hear"]) => scene({ hear });
  await using broken = await of((_, __, end) => end());
  await expect(broken.attend(person(["x"]).attended)).rejects.toThrow("broke off");
  // The runtime of a node gives no reason for its cause.
  const details = { causes: [{ message: "container not found" }] };
  const missing = JSON.stringify({ status: "Failure", message: "no such file", details });
  await using without = await of((_, send) => send(3, missing));
  await expect(without.attend(person(["x"]).attended)).rejects.toMatchObject({
    ...{ code: "kubernetes-failed", message: "The cluster does not run sh: no such file" },
  });
  await using silent = await of(() => {});
  const lost = Promise.reject(new Error("The pod is lost."));
  lost.catch(() => undefined);
  await expect(silent.attend(person(["x"]).attended, lost)).rejects.toThrow("The pod is lost.");
});

test("what a cluster refuses is said in its own words", async () => {
  const message = "pods is forbidden: ada cannot create resource pods/exec";
  const refusal = Response.json({ reason: "Forbidden", message }, { status: 403 });
  await using pod = await scene({ hear: () => {}, refusal });
  await expect(pod.attend(person([]).attended)).rejects.toMatchObject({
    ...{ code: "kubernetes-failed", message: expect.stringContaining(message) },
    hint: expect.stringContaining("Role"),
  });
});
