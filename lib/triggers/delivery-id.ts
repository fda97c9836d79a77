// Which delivery of a forge this is: a repeat is the same delivery, and not one that says the same.
import type { Forge } from "../model/trigger.ts";
import type { ForgeEvent } from "./forge-event.ts";
import type { Header } from "./forge-signature.ts";

/**
 * Each forge's headers with the id of a delivery. `kept`: who sends it again by hand sends the same
 * id.
 */
type IdHeader = { name: string; kept: boolean };

const idHeaders: Readonly<Record<Forge, readonly IdHeader[]>> = {
  // Gitea, Forgejo and Gogs send GitHub's header as well, with an id that is new each time.
  github: [
    ...["x-gitea-delivery", "x-forgejo-delivery", "x-gogs-delivery"].map((name) => ({
      name,
      kept: false,
    })),
    { name: "x-github-delivery", kept: true },
  ],
  // The signature covers `webhook-id`. Older releases have the last ones only.
  gitlab: [
    ...["webhook-id", "idempotency-key"].map((name) => ({ name, kept: true })),
    ...["x-gitlab-webhook-uuid", "x-gitlab-event-uuid"].map((name) => ({ name, kept: false })),
  ],
};

/**
 * What tells the event from all others, also from one that says the same. Where an id is new each
 * time that a person sends the delivery again, the forge's own time of the event counts in its
 * place, if it has one.
 */
export function happenedOf(
  forge: Forge,
  header: Header,
  { happened, isTimed }: ForgeEvent,
): string[] {
  const found = idHeaders[forge].find(({ name }) => (header(name) ?? "") !== "");
  if (found === undefined || (isTimed && !found.kept)) return happened;
  return [...happened, header(found.name) ?? ""];
}
