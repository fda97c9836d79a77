// Secrets in sett.yml: where each comes from, and which agents get it. A value is never part of the
// configuration.
import { z } from "zod";
import { VariableName } from "./config-environment.ts";

/** The name of its file. */
export const SecretName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
  error: ({ input }) => {
    const variable = /^\$\{?([A-Za-z_]\w*)/.exec(String(input))?.[1];
    return variable === undefined
      ? "must be letters, digits, `_`, `-` and `.`, at most 64, such as `registry-token`"
      : `must be a name in \`secrets\`, such as \`registry-token\`: there \`registry-token: { environment: ${variable} }\` takes its value from the variable`;
  },
});

/** The schema reports what is no name at all. */
export function isSecretName(name: unknown): name is string {
  return SecretName.safeParse(name).success;
}

const keys = ["file", "environment", "command", "kubernetes"] as const;
const oneOf =
  "needs one of `file`, `environment`, `command` and `kubernetes`, which says where its value comes from";

/**
 * The cluster has it, made by others. `sett up` looks at the length of an agent's, and keeps
 * nothing of it.
 */
const InCluster = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, {
      error: "must be the name of a Secret, such as `npm`",
    })
    .describe("The name of the Secret."),
  key: z
    .string()
    .regex(/^[-._a-zA-Z0-9]{1,253}$/, { error: "must be a key of that Secret, such as `token`" })
    .describe("The key in it."),
});
/** A key of a Secret of a cluster. */
export type ClusterSecret = z.infer<typeof InCluster>;

/** `sett up` gets the value from here. */
export const SecretSource = z
  .strictObject({
    file: z
      .string()
      .min(1, { error: "must not be empty" })
      .optional()
      .describe("A file of this machine."),
    environment: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, { error: "must be a variable's name such as `REGISTRY_TOKEN`" })
      .optional()
      .describe("A variable of the environment in which `sett up` runs."),
    command: z
      .array(z.string(), { error: 'must be a list: `["pass", "show", "registry"]`' })
      .min(1, { error: "must not be empty: its first entry is the program" })
      .optional()
      .describe(
        "A command that prints it, such as that of a password manager. A newline at its end does not count.",
      ),
    kubernetes: InCluster.optional().describe(
      "A Secret of the cluster, for `sett up --runtime kubernetes` alone: it must be in the namespace of the instance, and for agents with workers in theirs.",
    ),
  })
  .refine((source) => keys.filter((key) => source[key] !== undefined).length === 1, {
    error: oneOf,
  });
export type SecretSource = z.infer<typeof SecretSource>;

export const SecretsFile = z
  .record(SecretName, SecretSource)
  .refine((secrets) => Object.keys(secrets).length <= 100, {
    error: "must not name more than 100 secrets",
  });

/** `variable`: the value is in this variable of the command, too. */
export type SecretUse = { name: string; variable?: string | undefined };

/** `[registry-token, { name: deploy-key, variable: DEPLOY_KEY }]` */
export const SecretUses = z
  .array(
    z.union(
      [
        SecretName.transform((name): SecretUse => ({ name })),
        z.strictObject({
          name: SecretName.describe("The name in `secrets`."),
          variable: VariableName.optional().describe(
            "The variable of the command that has the value.",
          ),
        }),
      ],
      { error: "must be the name of a secret, or a map with `name` and `variable`" },
    ),
  )
  .max(100)
  .superRefine((uses, context) => {
    for (const key of ["name", "variable"] as const) {
      const seen = new Set<string>();
      for (const [at, use] of uses.entries()) {
        const value = use[key];
        if (value === undefined) continue;
        if (seen.has(value))
          context.addIssue({
            code: "custom",
            path: [at],
            message: `names \`${value}\` a second time`,
          });
        seen.add(value);
      }
    }
  });
