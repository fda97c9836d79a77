// The story of an artefact for a terminal.

import { painted } from "../../../lib/client/render/painted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import type { Story } from "../../../lib/core/story.ts";
import { storyHeading, storyRows } from "../../../lib/words/story-sentence.ts";

const nameWidth = "because".length;
/** A piece that others have chosen is cut here: a goal may be long. */
const maxForeign = 2_000;

export function storyText(story: Story, { style }: Pick<Layout, "style">): string {
  const rows = storyRows(story).map(
    ({ name, says }) => `  ${name.padEnd(nameWidth)} ${painted(says, style, maxForeign)}`,
  );
  return `${[painted(storyHeading(story), style, maxForeign), ...rows].join("\n")}\n`;
}
