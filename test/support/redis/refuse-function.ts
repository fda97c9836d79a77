// Has one of Sett's functions in a real Redis fail at each call, as one does that meets what its
// author did not foresee.
import { newClient } from "../../../lib/blackboard/redis/client.ts";

/**
 * `name`: as in function-table.ts. Resolves with what makes it whole again. Redis must have Sett's
 * functions.
 */
export async function refuseFunction(url: string, name: string): Promise<() => Promise<void>> {
  const client = newClient(url, 60_000, 60_000);
  await client.connect();
  try {
    const libraries = await client.functionListWithCode({ LIBRARYNAME: "sett_*" });
    const sources = libraries.map((library) => String(library.library_code));
    const begun = new RegExp(
      `(function_name='sett_\\w+_${name}',.*?function\\(KEYS, ARGV\\)\\n)`,
      "s",
    );
    const broken = sources.map((source) =>
      source.replace(begun, `$1  error('${name} is out of order.')\n`),
    );
    if (broken.every((source, index) => source === sources[index]))
      throw new Error(`Redis has no function ${name}.`);
    await loadAll(url, broken);
    return () => loadAll(url, sources);
  } finally {
    client.destroy();
  }
}

async function loadAll(url: string, sources: readonly string[]): Promise<void> {
  const client = newClient(url, 60_000, 60_000);
  await client.connect();
  try {
    for (const source of sources) await client.functionLoad(source, { REPLACE: true });
  } finally {
    client.destroy();
  }
}
