// What the line of an event says of a new artefact.
import type { SettEvent } from "../../model/event.ts";
import { oneLine } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Style } from "../text/style.ts";

/** A member of the event's data as one line; empty where it is missing. */
export type Field = (name: string) => string;

/** `maker`: the agent in whose name it was written. */
export function artefactCreated(
  event: SettEvent,
  { maker = "" }: { maker?: string | undefined },
  field: Field,
  style: Style,
): string {
  const id = shortId(event.artefact_id ?? "");
  const inName = event.actor === "hand" && maker !== "" ? ` for ${oneLine(maker)}` : "";
  const version = `${Number(event.data?.version ?? 1) > 1 ? ` version ${field("version")}` : ""}${inName}`;
  if (String(event.artefact_id) === String(event.goal_id)) return `posts the goal ${style.bold(id)}`;
  switch (field("structural_type")) {
    case "Failure":
      return `posts ${style.red(field("type"))} ${id}${inName}`;
    case "Question":
      return `${style.yellow("asks")} ${id}${inName}`;
    case "Terminal":
      return `posts ${style.green(field("type"))} ${style.bold(id)}${version}, the end`;
    default:
      return `posts ${style.green(field("type"))} ${style.bold(id)}${version}`;
  }
}
