// Opens an address in the person's browser.
import { spawn } from "node:child_process";
import { platform } from "node:process";

const openers: Partial<Record<typeof platform, string>> = { darwin: "open", linux: "xdg-open" };

/**
 * Resolves with false where this machine has nothing that opens it. It does not wait for the
 * browser.
 */
export async function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const program = openers[platform];
  if (program === undefined) return false;
  return await new Promise((resolve) => {
    const child = spawn(program, [url], { env: { ...env }, stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
    child.unref();
  });
}
