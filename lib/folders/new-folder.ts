import { mkdtemp, rm } from "node:fs/promises";

/**
 * Makes a folder of a name that no other has, and then what is in it; where that fails, such as on
 * a full disk, the folder is removed again. `prefix`: of its path.
 */
export async function inNewFolder<Made>(
  prefix: string,
  make: (folder: string) => Promise<Made>,
): Promise<Made> {
  const folder = await mkdtemp(prefix);
  try {
    return await make(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
