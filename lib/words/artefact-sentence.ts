// Writes the part of an event's sentence that is about a new artefact.
import type { Facts } from "./event-sentence.ts";
import { type Segment, say, toned } from "./segment.ts";

export function artefactCreated({
  event,
  context: { maker = "" },
  field,
  about,
  isByHand,
}: Facts): Segment[] {
  const inName = isByHand && maker !== "" ? say` for ${maker}` : [];
  const version = Number(field("version")) > 1 ? say` version ${field("version")}` : [];
  if (String(event.artefact_id) === String(event.goal_id))
    return say`posts the goal ${toned("strong", about)}`;
  switch (field("structural_type")) {
    case "Failure":
      return say`posts ${toned("bad", field("type"))} ${about}${inName}`;
    case "Question":
      return say`${toned("wait", "asks")} ${about}${inName}`;
    case "Terminal":
      return say`posts ${toned("good", field("type"))} ${toned("strong", about)}${version}${inName}, the end`;
    default:
      return say`posts ${toned("good", field("type"))} ${toned("strong", about)}${version}${inName}`;
  }
}
