// An API server of a cluster in memory, with the rules that the runtime leans on: a name is there
// once, selectors choose by labels, and a part that is to run has one pod. The real one is tried by
// test/e2e/kubernetes.nightly.test.ts.
import { join } from "node:path";
import { configFolder } from "../config/config-file.ts";

type Metadata = {
  name: string;
  uid?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
};
type Thing = { kind: string; metadata: Metadata } & Record<string, unknown>;

/** `refuse`: answers a request in the place of the server. `requests`: method and path of each. */
export async function clusterApi(
  refuse: (request: string) => Response | undefined = () => undefined,
) {
  const { things, answer } = cluster();
  const requests: string[] = [];
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: async (request) => {
      const text = `${request.method} ${new URL(request.url).pathname}`;
      requests.push(text);
      return refuse(text) ?? (await answer(request));
    },
  });
  const kubeconfig = JSON.stringify({
    "current-context": "here",
    clusters: [{ name: "one", cluster: { server: server.url.href } }],
    contexts: [{ name: "here", context: { cluster: "one", user: "ada" } }],
    users: [{ name: "ada", user: { token: "word" } }],
  });
  const made = await configFolder({ config: kubeconfig });
  return {
    ...{ things, requests, env: { KUBECONFIG: join(made.folder, "config") } },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await made[Symbol.asyncDispose]();
    },
  };
}

/** The place of all things of a kind, in a namespace or the cluster. */
const isOfMany = /^\/apis?(?:\/[a-z.0-9]+)?\/v1\/(?:namespaces\/[^/]+\/)?[a-z]+$/;

/** Its user may do all. */
const whole = { resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] };

function cluster() {
  const things = new Map<string, Thing>();
  let version = 0;
  const store = (path: string, thing: Thing): Thing => {
    version += 1;
    const uid = things.get(path)?.metadata.uid ?? `uid-${version}`;
    const at = { uid, resourceVersion: String(version), creationTimestamp: "2026-01-01T00:00:00Z" };
    const whole = { ...thing, ...givenBy(thing), metadata: { ...thing.metadata, ...at } };
    things.set(path, whole);
    const pod = podOf(path, whole);
    if (pod !== undefined && !pod.isWanted) things.delete(pod.path);
    else if (pod !== undefined && !things.has(pod.path)) store(pod.path, pod.thing);
    return whole;
  };
  const remove = (path: string, thing: Thing) => {
    const { metadata } = thing;
    const isHeld = metadata.finalizers !== undefined && metadata.finalizers.length > 0;
    if (isHeld) things.set(path, { ...thing, metadata: { ...metadata, deletionTimestamp: "now" } });
    else things.delete(path);
    const pod = podOf(path, thing);
    if (pod !== undefined) things.delete(pod.path);
    return Response.json({});
  };
  const change = (path: string, found: Thing, body: Thing) => {
    const spec = { ...Object(found.spec), ...Object(body.spec) };
    return Response.json(store(path, { ...found, spec }));
  };
  async function answer(request: Request): Promise<Response> {
    const { pathname: path, searchParams } = new URL(request.url);
    const { method, headers } = request;
    if (path === "/version") return Response.json({ gitVersion: "v1.33.0" });
    if (path.endsWith("/selfsubjectrulesreviews")) return Response.json({ status: whole });
    const found = things.get(path);
    if (method === "GET" && found !== undefined) return Response.json(found);
    if (method === "GET" && isOfMany.test(path))
      return Response.json({
        items: listed(things, path, searchParams.get("labelSelector") ?? ""),
      });
    if (method === "GET") return no(404, "NotFound");
    const body = await request.json();
    const named = `${path}/${body.metadata?.name}`;
    if (method === "POST" && things.has(named)) return no(409, "AlreadyExists");
    // Kubernetes 1.34 refuses it.
    if (body.kind === "StatefulSet" && body.metadata.name.includes(".")) return no(422, "Invalid");
    if (method === "POST") return Response.json(store(named, body));
    if (method === "PUT" || headers.get("content-type")?.includes("apply") === true)
      return Response.json(store(path, { ...found, ...body }));
    if (found === undefined) return no(404, "NotFound");
    return method === "DELETE" ? remove(path, found) : change(path, found, body);
  }
  return { things, answer };
}

function no(status: number, reason: string): Response {
  return Response.json({ reason, message: `It is ${reason}.` }, { status });
}

/** What the server itself writes into a thing. */
function givenBy({ kind, spec, status, stringData }: Thing): Record<string, unknown> {
  if (kind === "Pod" && status === undefined) return { status: runs };
  const words = Object.entries(Object(stringData) as Record<string, string>);
  const data = words.map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  if (data.length > 0) return { data: Object.fromEntries(data) };
  return kind === "Service" ? { spec: { ...Object(spec), clusterIP: "10.96.0.7" } } : {};
}

const runs = {
  phase: "Running",
  containerStatuses: [{ state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }],
};

function podOf(path: string, { kind, metadata, spec }: Thing) {
  if (kind !== "Deployment" && kind !== "StatefulSet" && kind !== "Job") return undefined;
  const { replicas = 1, template } = spec as { replicas?: number; template: Thing };
  const folder = path.replace(/^\/apis\/[a-z]*\//, "/api/").replace(/[^/]*\/[^/]*$/, "pods");
  const ofJob = { "job-name": metadata.name, "controller-uid": metadata.uid ?? "" };
  const name = `${metadata.name}-0`;
  const labels = { ...template.metadata.labels, ...(kind === "Job" && ofJob) };
  const thing = { kind: "Pod", metadata: { ...template.metadata, labels, name }, status: runs };
  return { path: `${folder}/${name}`, isWanted: replicas > 0, thing };
}

function listed(things: ReadonlyMap<string, Thing>, path: string, selector: string): Thing[] {
  const wanted = selector.split(",").flatMap((part) => (part === "" ? [] : [part.split("=")]));
  return [...things].flatMap(([at, thing]) => {
    const isHere = at.startsWith(`${path}/`) && !at.slice(path.length + 1).includes("/");
    const isMeant = wanted.every(([name = "", value]) => thing.metadata.labels?.[name] === value);
    return isHere && isMeant ? [thing] : [];
  });
}
