// Finds the cluster of a person as kubectl does: the files of KUBECONFIG, else ~/.kube/config, and
// in them a context with its cluster and its user.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf, SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { type Credential, ExecPlugin, pluginCredential } from "./exec-credential.ts";

type Env = Readonly<Record<string, string | undefined>>;

export type ClusterAccess = {
  /** The name of the context, for sentences. */
  context: string;
  server: string;
  /** The context's own namespace. */
  namespace: string | undefined;
  ca: string | undefined;
  serverName: string | undefined;
  isUnverified: boolean;
  /** The proxy by which the server is reached. Default: that of the environment, if any. */
  proxy?: string | undefined;
  /** Asks a plug-in anew where its credential has expired. */
  credential: () => Promise<Credential>;
};

const Cluster = z.object({
  server: z.string(),
  "certificate-authority": z.string().optional(),
  "certificate-authority-data": z.string().optional(),
  "insecure-skip-tls-verify": z.boolean().default(false),
  "tls-server-name": z.string().optional(),
  "proxy-url": z.string().optional(),
});
const User = z.object({
  "client-certificate": z.string().optional(),
  "client-certificate-data": z.string().optional(),
  "client-key": z.string().optional(),
  "client-key-data": z.string().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  exec: ExecPlugin.optional(),
  as: z.string().optional(),
  "as-uid": z.string().optional(),
  "as-groups": z.array(z.string()).nullish(),
  "as-user-extra": z.unknown().optional(),
});
const Context = z.object({
  cluster: z.string(),
  user: z.string().default(""),
  namespace: z.string().optional(),
});
const File = z.object({
  "current-context": z.string().nullish(),
  clusters: z.array(z.object({ name: z.string(), cluster: Cluster })).nullish(),
  contexts: z.array(z.object({ name: z.string(), context: Context })).nullish(),
  users: z.array(z.object({ name: z.string(), user: User.nullish() })).nullish(),
});
type Read = z.infer<typeof File> & { folder: string };

/** `context`: else the current one. Throws `kubernetes-unreachable`. */
export async function findCluster(env: Env, context: string | undefined): Promise<ClusterAccess> {
  const files = await readFiles(env);
  const name = context ?? files.flatMap((file) => file["current-context"] || [])[0];
  const contexts = files.flatMap((file) => file.contexts ?? []);
  const found = contexts.find((each) => each.name === name)?.context;
  if (name === undefined || found === undefined) throw noContext(name, contexts);
  const cluster = entryOf(files, ({ clusters }) => clusters, found.cluster);
  if (cluster === undefined)
    throw unusable(`The context ${name} names the cluster ${found.cluster}, which is not there.`);
  const {
    server,
    "insecure-skip-tls-verify": isUnverified,
    "proxy-url": proxyUrl,
  } = cluster.entry.cluster;
  const user = entryOf(files, ({ users }) => users, found.user);
  if (Object.entries(user?.entry.user ?? {}).some(([key, value]) => isAnother(key, value)))
    throw new SettError(
      "kubernetes-unreachable",
      `The user ${found.user} of the context ${name} acts as another one, which Sett cannot do.`,
      { hint: "Name a user by its own credentials, without `as` in the kubeconfig." },
    );
  const ca = await material(cluster.folder, {
    file: cluster.entry.cluster["certificate-authority"],
    data: cluster.entry.cluster["certificate-authority-data"],
  });
  const credential = credentialOf(user?.entry.user ?? {}, user?.folder ?? ".", { name, env });
  return {
    ...{ context: name, server: server.replace(/\/+$/, ""), namespace: found.namespace },
    ...{ ca, serverName: cluster.entry.cluster["tls-server-name"], isUnverified, credential },
    ...withoutUndefined({ proxy: proxyOf(proxyUrl, name) }),
  };
}

/** Whether a key asks for the rights of another user, who may have fewer. */
function isAnother(key: string, value: unknown): boolean {
  return /^as(?:-|$)/.test(key) && value !== undefined && value !== null && value !== "";
}

/** Throws `kubernetes-unreachable` for a kind of proxy that kubectl knows and this program not. */
function proxyOf(text: string | undefined, context: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new SettError(
    "kubernetes-unreachable",
    `The \`proxy-url\` of the context ${context} is not one that Sett can use.`,
    { hint: "Name a proxy by http:// or https://; SOCKS is not supported." },
  );
}

async function readFiles(env: Env): Promise<Read[]> {
  const named = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  const paths = named.length > 0 ? named : [join(env.HOME ?? homedir(), ".kube/config")];
  const files = await Promise.all(paths.map(readOne));
  const present = files.flatMap((file) => file ?? []);
  if (present.length > 0) return present;
  throw new SettError("kubernetes-unreachable", `There is no ${paths.join(" and no ")}.`, {
    hint: "Sett finds a cluster as kubectl does: by the files that KUBECONFIG names, else by ~/.kube/config.",
  });
}

async function readOne(path: string): Promise<Read | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return { ...File.parse(parse(text) ?? {}), folder: dirname(resolve(path)) };
  } catch (cause) {
    throw unusable(`${path} cannot be read as a kubeconfig: ${messageOf(cause)}`, cause);
  }
}

/** The first file that has it counts. */
function entryOf<Entry extends { name: string }>(
  files: readonly Read[],
  listOf: (file: Read) => Entry[] | null | undefined,
  name: string,
): { entry: Entry; folder: string } | undefined {
  for (const file of files) {
    const entry = listOf(file)?.find((each) => each.name === name);
    if (entry !== undefined) return { entry, folder: file.folder };
  }
  return undefined;
}

type Material = { file?: string | undefined; data?: string | undefined };

async function material(folder: string, { file, data }: Material): Promise<string | undefined> {
  if (data !== undefined && data !== "") return Buffer.from(data, "base64").toString();
  if (file === undefined || file === "") return undefined;
  const path = resolve(folder, file);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw unusable(`The kubeconfig names ${path}: ${messageOf(cause)}`, cause);
  }
}

function credentialOf(
  user: z.infer<typeof User>,
  folder: string,
  { name, env }: { name: string; env: Env },
): ClusterAccess["credential"] {
  if (user.exec !== undefined) return pluginCredential(user.exec, { folder, context: name, env });
  return async () => {
    const [cert, key, fromFile] = await Promise.all([
      material(folder, { file: user["client-certificate"], data: user["client-certificate-data"] }),
      material(folder, { file: user["client-key"], data: user["client-key-data"] }),
      // A token in a file is renewed there.
      user.token === undefined ? material(folder, { file: user.tokenFile }) : undefined,
    ]);
    const token = user.token ?? fromFile?.trim();
    const basic =
      user.username === undefined
        ? undefined
        : `Basic ${Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64")}`;
    const authorization = token === undefined ? basic : `Bearer ${token}`;
    return withoutUndefined({ cert, key, authorization });
  };
}

function noContext(name: string | undefined, contexts: readonly { name: string }[]): SettError {
  const known = contexts.map((each) => each.name).join(", ") || "none";
  const isNamed = name !== undefined && name !== "";
  const message = isNamed
    ? `The kubeconfig has no context ${name}; it knows ${known}.`
    : `The kubeconfig has no current context; it knows ${known}.`;
  const hint = "Name one: sett up --runtime kubernetes --context NAME";
  return new SettError("kubernetes-unreachable", message, {
    hint: isNamed ? hint : `${hint}. Or choose it: kubectl config use-context NAME`,
  });
}

function unusable(message: string, cause?: unknown): SettError {
  return new SettError("kubernetes-unreachable", message, {
    hint: "`kubectl version` uses the same file.",
    cause,
  });
}
