// Object stores that borrow from another one: git reads what they lack from there.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** An empty object store, which borrows from others. */
export async function makeStore(objectsDir: string, ...borrowed: string[]): Promise<void> {
  await mkdir(join(objectsDir, "info"), { recursive: true });
  await writeFile(
    join(objectsDir, "info/alternates"),
    borrowed.map((path) => `${path}\n`).join(""),
  );
}

/** The environment in which git borrows from an object store. */
export function borrowing(objectsDir: string): Record<string, string> {
  // A colon would otherwise end the path.
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objectsDir.replace(/["\\]/g, "\\$&")}"` };
}
