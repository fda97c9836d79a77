// Says what it costs to show agents what they may see: the store of commits, and the checkouts that
// agents share.

import type { ShownSize } from "../../../lib/git/exchange/port.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import { maxLayers } from "../../../lib/runtime/layered-volumes.ts";
import { formatCount } from "../../../lib/words/count.ts";
import type { Finding } from "../facts/finding.ts";
import type { LayerFacts } from "./facts.ts";

/** Undefined where nothing is shown, or it cannot be read. */
export function judgeStore(size: ShownSize | undefined): Finding[] {
  if (size === undefined) return [];
  return [{ subject: "instance", check: "store", level: "ok", found: storeSentence(size) }];
}

function storeSentence({ bytes, sharedBytes }: ShownSize): string {
  const own = bytes - sharedBytes;
  if (sharedBytes === 0)
    return `${sizeText(bytes)}, a copy: packs of the repository also have what agents do not see`;
  if (own === 0) return `${sizeText(bytes)}, all of it shared with the repository (hard links)`;
  return `${sizeText(bytes)}, of which ${sizeText(sharedBytes)} are shared with the repository (hard links)`;
}

/** Nothing where no agent has begun with one. */
export function judgeLayers(layers: LayerFacts | undefined): Finding[] {
  if (layers === undefined || layers.count === 0) return [];
  const { count, bytes } = layers;
  const size = bytes === undefined ? "of a size that the Engine does not say" : sizeText(bytes);
  const found = `${formatCount(count)}, ${size}; of those of workers at most ${maxLayers} are kept`;
  return [{ subject: "instance", check: "layers", level: "ok", found }];
}
