// Agent packages: what agent.yml says of one, what it asks for, and what sett.lock keeps of it.
import { z } from "zod";
import { AgentFile } from "./config.ts";
import { Provider } from "./config-models.ts";

/** The file of a package, in its folder, or in `/app` of an image. */
export const packageFile = "agent.yml";

/** The API that the package's command speaks. `any`: both. */
export const PackageApi = z.enum([...Provider.options, "any"]);
export type PackageApi = z.infer<typeof PackageApi>;

const ofAgent = AgentFile.in.pick({
  ...{ command: true, bids: true, bid_command: true, on_missing_bid: true, strategy: true },
  ...{ workspace: true, network: true, egress: true, secrets: true, prompts: true },
  ...{ on_budget: true, timeout: true, retries: true, shutdown: true },
});

/**
 * agent.yml. What it has beside `version`, `about` and `model` are keys of an agent in sett.yml.
 * Variables belong in the image, and limits of the machine in sett.yml, so that both lack here.
 */
export const PackageFile = ofAgent.extend({
  version: z.literal("1.0", {
    error: ({ input }) =>
      input === undefined
        ? "is missing: write `version: '1.0'`"
        : typeof input === "string" && /^\d+\.\d+$/.test(input)
          ? `is \`${input}\`, and this sett reads \`1.0\`: use another sett, or another package`
          : "must be `'1.0'`, with the quotes",
  }),
  about: z
    .string()
    .regex(/^[^\p{Cc}]{1,200}$/u, { error: "must be one line of at most 200 characters" }),
  model: PackageApi.optional(),
  workspace: ofAgent.shape.workspace.refine(({ prepare }) => prepare === undefined, {
    path: ["prepare"],
    error: "belongs in sett.yml, since it may need hosts and commands that a person has to see",
  }),
  prompts: ofAgent.shape.prompts.refine(
    (prompts) => Object.values(prompts).every((prompt) => typeof prompt === "string"),
    { error: "must be texts: a package has no prompts in files of their own" },
  ),
});
export type PackageFile = z.infer<typeof PackageFile>;

/** The needs of a package that only sett.yml can meet. Members are missing where it needs none. */
export const PackageRights = z.strictObject({
  model: PackageApi.optional(),
  workspace: z.literal("rw").optional(),
  network: z.string().optional(),
  egress: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
});
export type PackageRights = z.infer<typeof PackageRights>;

export const PackageDigest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, { error: "must be `sha256:` and 64 hexadecimal digits" });

/**
 * `digest`: of all files of a folder or of one of Sett's own; of an image its id at a registry, or
 * on this machine. `image`: how an Engine finds an image of this digest. `agent`: the text of an
 * image's agent.yml, which only an Engine could read.
 */
export const LockedPackage = z.strictObject({
  digest: PackageDigest,
  asks: PackageRights.default({}),
  image: z.string().optional(),
  agent: z.string().optional(),
});
export type LockedPackage = z.infer<typeof LockedPackage>;

export const LockFile = z.strictObject({
  version: z.literal("1.0"),
  packages: z.record(z.string(), LockedPackage),
});
export type LockFile = z.infer<typeof LockFile>;
