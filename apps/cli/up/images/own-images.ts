// The images that were built for the agents of an instance, by their ids: nothing else tells one
// that has lost its name from one that a person has made of it.
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import { messageOf } from "../../../../lib/model/errors.ts";
import type { EngineRuntime } from "../../../../lib/runtime/port.ts";

type Warn = (sentence: string) => void;

/**
 * `begin`: before the Engine is asked to build it, because the answer may be lost. `end`: with the
 * id of what was built.
 */
export type Remembering = {
  begin(tag: string): Promise<void>;
  end(tag: string, image: string): Promise<void>;
};

/** Several images are built at once, and git writes its configuration for one at a time. */
export function rememberer(kept: KeptId, warn: Warn): Remembering {
  let last = Promise.resolve();
  const next = (write: () => Promise<void>) => {
    last = last
      .then(write)
      .catch((error: unknown) =>
        warn(
          `An image that was built is not in the repository's configuration: ${messageOf(error)}`,
        ),
      );
    return last;
  };
  return {
    begin: (tag) => next(() => kept.add("building", tag)),
    end: (tag, image) =>
      next(async () => {
        await kept.add("image", image);
        await kept.drop("building", tag);
      }),
  };
}

/**
 * Removes the images that others have replaced, once no container uses them. One that stays is
 * tried again by the next `sett up`.
 */
export async function removeReplaced(
  { engine: { images } }: Pick<EngineRuntime, "engine">,
  { kept, current }: { kept: KeptId; current: ReadonlySet<string> },
  warn: Warn,
): Promise<void> {
  for (const id of await kept.list("image")) {
    if (current.has(id)) continue;
    try {
      if (await images.removeUnnamed(id)) await kept.drop("image", id);
    } catch (error) {
      warn(`An image that was replaced stays on this machine: ${messageOf(error)}`);
    }
  }
}
