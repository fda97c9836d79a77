// Starts the API, and gives it its certificate: through the standard input of a command beside it, because the environment, the arguments
// and the labels of a container can be read from outside. It has a volume for it, so that a restart of the machine does not lose it.
import { SettError } from "../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import type { Change } from "./diff.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";
import type { PlannedService } from "./plan-input.ts";
import type { Certificate } from "./read-tls.ts";
import { answersWhenReady } from "./readiness.ts";

type ApiChange = { change: Change | undefined; tls: Certificate | undefined };

/** Both `planned` and `change` are undefined where the instance has no API. */
export async function startApi(tools: Tools, planned: PlannedService | undefined, { change, tls }: ApiChange): Promise<void> {
  if (planned === undefined || change === undefined) return;
  if (change.kind === "keep") return;
  await makeOwned(tools, planned.volumes);
  await makePart(tools, change, async () => async (signal) => {
    // An API that is a process reads the files themselves.
    if (tls !== undefined && planned.volumes.length > 0) await giveTls(tools.runtime, planned, tls);
    await answersWhenReady(tools.runtime, planned, signal);
  });
}

/** Throws `not-ready`, without a word of what the command said: a part of the key might be among it. */
async function giveTls(
  { containers }: Pick<ContainerRuntime, "containers">,
  { spec, program }: PlannedService,
  tls: Certificate,
): Promise<void> {
  const { exitCode } = await containers.exec(spec.name, [...program, "--put-tls"], { stdin: JSON.stringify(tls) });
  if (exitCode === 0) return;
  throw new SettError("not-ready", `The API did not take its certificate (exit code ${exitCode}).`, {
    hint: "`sett logs api` may show why.",
  });
}
