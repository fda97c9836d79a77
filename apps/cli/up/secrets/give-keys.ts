// Gives the running gateway the providers' keys: through the standard input of a command beside it,
// because the environment, the arguments and the labels of a container can be read from outside.
import { SettError } from "../../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../../lib/runtime/port.ts";

type Keys = Readonly<Record<string, string>>;
type Gateway = {
  /** The container. */
  name: string;
  program: readonly string[];
};

/**
 * Replaces all keys; the gateway goes on. Throws `not-ready`, without a word of what the command
 * said: a key might be among it.
 */
export async function giveKeys(
  runtime: Pick<ContainerRuntime, "containers">,
  { name, program }: Gateway,
  keys: Keys,
): Promise<void> {
  const { exitCode } = await runtime.containers.exec(name, [...program, "--put-keys"], {
    stdin: JSON.stringify(keys),
  });
  if (exitCode === 0) return;
  throw new SettError(
    "not-ready",
    `The gateway did not take the keys of the models (exit code ${exitCode}).`,
    {
      hint: "`sett logs gateway` may show why.",
    },
  );
}
