// The error of a command that was typed outside of a repository.
import { goToWorkTree, workTreesBelow } from "../../../lib/git/run/work-trees.ts";
import { SettError } from "../../../lib/model/errors.ts";

type Usual = {
  code: "config-missing" | "instance-not-found" | "repository-unusable";
  message: string;
  hint: string;
};

/** For a command that needs a repository; `hint`: which one. */
export async function noRepository(cwd: string, hint: string): Promise<SettError> {
  const message = `${cwd} is not in a git repository.`;
  return await notInRepository(cwd, { code: "repository-unusable", message, hint });
}

/**
 * Beside the folder of a bare repository are its work trees: there the person is sent to one of
 * them.
 */
export async function notInRepository(
  cwd: string,
  { code, message, hint }: Usual,
): Promise<SettError> {
  return goToWorkTree(cwd, await workTreesBelow(cwd)) ?? new SettError(code, message, { hint });
}
