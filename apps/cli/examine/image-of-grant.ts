// Which image an agent had when it began a grant: its registration is on record, with each change.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { idLabel } from "../../../lib/runtime/labels.ts";
import type { EngineRuntime, ImageInfo } from "../../../lib/runtime/port.ts";
import type { PlannedImage } from "../services/input.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";

const eventsAtOnce = 1_000;

/** `wanted`: of a person, in its place. `isRecorded`: it is the one of the grant. */
export type GrantImage = PlannedImage & { isRecorded: boolean };

/** `wanted`: by a person, in place of the one on record. */
export type WantedImage = { agent: AgentName; startedAt: string; wanted: string | undefined };

/** For the record of a look: undefined for the image of the grant itself. */
export function otherImage({ id, isRecorded }: GrantImage): { image?: string } {
  return isRecorded ? {} : { image: id };
}

/** `named`: as the runtime names what was found by this name. */
export type Finding = {
  find(name: string): Promise<ImageInfo | undefined>;
  named(found: ImageInfo, name: string): Pick<PlannedImage, "tag" | "id">;
};

/** The image is on the Engine where the container is made. */
export function onEngineOf({ engine: { images } }: EngineRuntime): Finding {
  return { find: (name) => images.find(name), named: ({ id }) => ({ tag: id, id }) };
}

/**
 * A cluster pulls it from its registry: an Engine here knows what it is made of, and pulls it where
 * it does not have it.
 */
export function inRegistryOf(
  { engine: { images } }: EngineRuntime,
  { err, interrupted: signal }: Pick<Shell, "err" | "interrupted">,
): Finding {
  return {
    find: async (name) => {
      const found = await images.find(name);
      if (found !== undefined || !isByDigest(name)) return found;
      using progress = new Progress(err);
      const step = progress.begin(name, "pulling the image");
      const pulled = await images.pull(name, { onProgress: (line) => step.update(line), signal });
      step.done("image pulled");
      return pulled;
    },
    named: (found, name) => {
      const digest = isByDigest(name) ? name : found.digest;
      if (digest !== undefined && found.labels[idLabel] !== undefined)
        return { tag: digest, id: digest };
      throw new SettError(
        "usage",
        `${name} is no image that \`sett up\` has pushed for an agent.`,
        {
          hint: "In a cluster only these have what a look needs. Name one by its digest: --image NAME@sha256:…",
        },
      );
    },
  };
}

function isByDigest(name: string): boolean {
  return name.includes("@sha256:");
}

/** Throws `image-not-found`, with what would bring it. */
export async function findImageOf(
  board: PersonBlackboard,
  { find, named }: Finding,
  { agent, startedAt, wanted }: WantedImage,
): Promise<GrantImage> {
  const recorded = await recordedImage(board, agent, startedAt);
  if (wanted !== undefined) {
    const other = await find(wanted);
    if (other === undefined)
      throw new SettError("image-not-found", `The Docker Engine has no image ${wanted}.`);
    const names = [wanted, other.id, other.digest];
    const isRecorded = recorded !== undefined && names.includes(recorded);
    return { ...other, ...named(other, wanted), isRecorded };
  }
  if (recorded === undefined)
    throw new SettError("image-not-found", `The record has no image of ${agent}.`, {
      hint: "Name one: --image IMAGE",
    });
  const found = await find(recorded);
  if (found !== undefined) return { ...found, ...named(found, recorded), isRecorded: true };
  const isBuilt = recorded.startsWith("sha256:");
  throw new SettError(
    "image-not-found",
    `The image with which ${agent} worked is not on the Docker Engine any more: ${recorded}`,
    {
      hint: isBuilt
        ? "It was built here, and another one has taken its place. Look with that one: --image IMAGE, as `docker images` names it."
        : `Bring it: docker pull ${recorded}`,
    },
  );
}

/** The last one before that time; an older one may have left the log. */
async function recordedImage(
  board: PersonBlackboard,
  agent: AgentName,
  startedAt: string,
): Promise<string | undefined> {
  const before = Date.parse(startedAt);
  let isChanged = false;
  for (let from: string | undefined; ; ) {
    const events = await board.readEventsBefore(from, eventsAtOnce);
    for (const { type, agent: of, time, data } of events) {
      if (type !== "agent_registered" || of !== agent) continue;
      isChanged = true;
      if (Date.parse(time) > before) continue;
      const image = String(data?.image ?? "");
      return image === "" ? undefined : image;
    }
    const last = events.at(-1);
    if (last === undefined) break;
    from = last.id;
  }
  // A registration that came later says nothing of the time before.
  if (isChanged) return undefined;
  const registered = (await board.listAgents()).find(({ name }) => name === agent);
  return registered?.image === "" ? undefined : registered?.image;
}
