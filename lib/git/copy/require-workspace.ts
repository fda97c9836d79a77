// The folder of a working copy: made where there is none, and opened where a tool has closed it.
import { access, chmod, constants, mkdir } from "node:fs/promises";
import { SettError } from "../../model/errors.ts";

/** Throws git-failed. */
export async function requireWorkspace(workspaceDir: string): Promise<void> {
  try {
    await mkdir(workspaceDir, { recursive: true });
    const isOpen = access(workspaceDir, constants.R_OK | constants.W_OK | constants.X_OK);
    await isOpen.catch(() => chmod(workspaceDir, 0o755));
  } catch (cause) {
    const why = { hint: "The agent's user must own that folder.", cause };
    throw new SettError("git-failed", `No working copy can be made in ${workspaceDir}.`, why);
  }
}
