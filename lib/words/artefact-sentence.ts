// Writes the part of an event's sentence that is about a new artefact.
import { remarkType } from "../model/remark-type.ts";
import { type Segment, say, toned, typed } from "./segment.ts";
import type { Facts } from "./sentence.ts";

export function artefactCreated({ event, field, about }: Facts): Segment[] {
  const version = Number(field("version")) > 1 ? say` version ${field("version")}` : [];
  if (String(event.artefact_id) === String(event.goal_id))
    return say`posts the goal ${toned("strong", about)}`;
  if (field("type") === remarkType && field("structural_type") === "Answer")
    return say`${toned("strong", "tells")} the work of the goal ${about}`;
  switch (field("structural_type")) {
    case "Failure":
      return say`posts ${typed("bad", field("type"))} ${about}`;
    case "Question":
      return say`${toned("wait", "asks")} ${about}`;
    case "Terminal":
      return say`posts ${typed("good", field("type"))} ${toned("strong", about)}${version}, the end`;
    default:
      return say`posts ${typed("good", field("type"))} ${toned("strong", about)}${version}`;
  }
}
