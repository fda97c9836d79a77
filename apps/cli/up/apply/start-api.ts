// Starts the API, and gives it its certificate and the secrets of webhooks: through the standard
// input of a command beside it, because the environment, the arguments and the labels of a
// container can be read from outside. It has a volume for it, so that a restart of the machine does
// not lose it.
import { SettError } from "../../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../../lib/runtime/port.ts";
import type { Change } from "../plan/diff.ts";
import type { PlannedService } from "../plan/plan-input.ts";
import type { Certificate } from "../secrets/read-tls.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";
import { answersWhenReady } from "./readiness.ts";

/** `hooks`: the secrets of webhooks in base64, by name. */
type ApiChange = {
  change: Change | undefined;
  tls: Certificate | undefined;
  hooks: Readonly<Record<string, string>>;
};

/** Both `planned` and `change` are undefined where the instance has no API. */
export async function startApi(
  tools: Tools,
  planned: PlannedService | undefined,
  { change, tls, hooks }: ApiChange,
): Promise<void> {
  if (planned === undefined || change === undefined) return;
  // The values may have changed, of which no description of the container knows.
  if (change.kind === "keep") return await giveHookSecrets(tools.runtime, planned, hooks);
  await makeOwned(tools, planned.volumes);
  await makePart(tools, change, async () => async (signal) => {
    // An API that is a process reads the files themselves.
    if (tls !== undefined && planned.volumes.length > 0) await giveTls(tools.runtime, planned, tls);
    await giveHookSecrets(tools.runtime, planned, hooks);
    await answersWhenReady(tools.runtime, planned, signal);
  });
}

/**
 * Throws `not-ready`, without a word of what the command said: a part of the key might be among it.
 */
async function giveTls(
  { containers }: Pick<ContainerRuntime, "containers">,
  { spec, program }: PlannedService,
  tls: Certificate,
): Promise<void> {
  const { exitCode } = await containers.exec(spec.name, [...program, "--put-tls"], {
    stdin: JSON.stringify(tls),
  });
  if (exitCode === 0) return;
  throw new SettError(
    "not-ready",
    `The API did not take its certificate (exit code ${exitCode}).`,
    {
      hint: "`sett logs api` may show why.",
    },
  );
}

/**
 * The API reads them at each delivery. Throws `not-ready`, without a word of what the command said.
 */
async function giveHookSecrets(
  { containers }: Pick<ContainerRuntime, "containers">,
  { spec, program }: PlannedService,
  hooks: Readonly<Record<string, string>>,
): Promise<void> {
  if (spec.env.SETT_HOOK_SECRETS_DIR === undefined) return;
  const { exitCode } = await containers.exec(spec.name, [...program, "--put-secrets"], {
    stdin: JSON.stringify(hooks),
  });
  if (exitCode === 0) return;
  throw new SettError(
    "not-ready",
    `The API did not take the secrets of its webhooks (exit code ${exitCode}).`,
    {
      hint: "`sett logs api` may show why.",
    },
  );
}
