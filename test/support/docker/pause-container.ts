import { $ } from "bun";
import { waitFor } from "../wait-for.ts";

/**
 * Lets all processes of a container stand still. runc gives up ("unable to freeze") when one of
 * them is just being started, as a health check is.
 */
export async function pauseContainer(name: string): Promise<void> {
  let said = "";
  await waitFor(
    `${name} to stand still`,
    async () => {
      const { exitCode, stderr } = await $`docker pause ${name}`.quiet().nothrow();
      said = stderr.toString();
      return exitCode === 0;
    },
    { everyMs: 100, happened: async () => said },
  );
}
