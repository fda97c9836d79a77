// An entry of the announcements as it was read.
import { AgentName, ClaimId } from "../../model/ids.ts";
import type { Announcement } from "../port/claims.ts";

/** As the Lua functions write it (lua/prelude-claim.lua): `about` is JSON. */
export type AnnouncementEntry = { claim?: string; about?: string };

/** Undefined for an entry that Sett did not write: a follower must get past it. */
export function announcementOf({ claim, about = "" }: AnnouncementEntry): Announcement | undefined {
  const id = ClaimId.safeParse(claim);
  if (!id.success) return undefined;
  try {
    const { artefact_id, type, produced_by_role, missing } = JSON.parse(about);
    for (const value of [artefact_id, type, produced_by_role])
      if (typeof value !== "string") return undefined;
    const names = AgentName.array().safeParse(missing);
    if (!names.success) return undefined;
    return { claim: id.data, artefact_id, type, produced_by_role, missing: names.data };
  } catch {
    return undefined;
  }
}
