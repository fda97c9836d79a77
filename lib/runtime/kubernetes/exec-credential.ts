// The credential of a plug-in, which a kubeconfig names as a command
// (client.authentication.k8s.io).
import { execFile } from "node:child_process";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { messageOf, SettError } from "../../model/errors.ts";
import { shellWord } from "../../model/shell-word.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";

/** A request proves with it who asks. In PEM, and a header. */
export type Credential = { cert?: string; key?: string; authorization?: string };

export const ExecPlugin = z.object({
  apiVersion: z.string(),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
});
type ExecPlugin = z.infer<typeof ExecPlugin>;

const Answer = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

type Surroundings = {
  /** That of the kubeconfig: a command with a slash is relative to it. */
  folder: string;
  context: string;
  env: Readonly<Record<string, string | undefined>>;
};

/** A plug-in may ask a person or a network. */
const limitMs = 60_000;
/** A credential is renewed so long before its end. */
const earlyMs = 30_000;

export function pluginCredential(
  plugin: ExecPlugin,
  around: Surroundings,
): () => Promise<Credential> {
  let known: { credential: Credential; untilMs: number } | undefined;
  return async () => {
    if (known !== undefined && Date.now() < known.untilMs) return known.credential;
    const { status } = await run(plugin, around);
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    const untilMs =
      expirationTimestamp === undefined
        ? Number.POSITIVE_INFINITY
        : Date.parse(expirationTimestamp) - earlyMs;
    known = { credential: withoutUndefined({ cert, key, authorization }), untilMs };
    return known.credential;
  };
}

async function run(
  { apiVersion, command, args, env: own, installHint }: ExecPlugin,
  { folder, context, env }: Surroundings,
): Promise<z.infer<typeof Answer>> {
  const isPath = command !== dirname(command) && command.includes("/");
  const program = isPath ? resolve(folder, command) : command;
  const info = { apiVersion, kind: "ExecCredential", spec: { interactive: false } };
  const variables = Object.fromEntries((own ?? []).map(({ name, value }) => [name, value]));
  try {
    const { stdout } = await promisify(execFile)(program, [...(args ?? [])], {
      env: { ...env, ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      timeout: limitMs,
    });
    return Answer.parse(JSON.parse(stdout));
  } catch (cause) {
    const commandLine = [program, ...(args ?? [])].map(shellWord).join(" ");
    const first = messageOf(cause).trim().split("\n").at(-1);
    throw new SettError(
      "kubernetes-unreachable",
      `The plug-in ${command} of the context ${context} gives no credential: ${first}`,
      {
        hint: installHint ?? `Run it once yourself: ${commandLine}`,
        cause,
      },
    );
  }
}
