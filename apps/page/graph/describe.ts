// An item of the graph in a sentence, for readers of the screen. Pure.
import { visibleLine } from "../text/visible-text.ts";
import type { Item } from "./geometry.ts";
import { lookOf, pendingLook } from "./look.ts";
import { makerOf } from "./matching.ts";

export function describe(item: Item): string {
  if ("pending" in item)
    return `${item.pending.agent} ${pendingLook(item.pending).word}, ${item.pending.phase}`;
  const { node } = item;
  const summary = visibleLine(node.metadata.summary ?? "", 120);
  return `${visibleLine(node.type, 60)} version ${node.version}, ${lookOf(node).word}, by ${makerOf(node)}${summary === "" ? "" : `: ${summary}`}`;
}
