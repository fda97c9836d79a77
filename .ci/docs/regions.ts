// Lists what is generated in the pages, by the name of its region: `<!-- generated: keys -->` …
// `<!-- end of keys -->`.
import { apiRegions } from "./api.ts";
import { blackboardRegions } from "./blackboard.ts";
import { commandRegions } from "./commands.ts";
import { serviceRegions } from "./services.ts";
import { settYmlRegions } from "./sett-yml.ts";

export const regions: Readonly<Record<string, () => string | Promise<string>>> = {
  ...commandRegions,
  ...settYmlRegions,
  ...blackboardRegions,
  ...serviceRegions,
  ...apiRegions,
};
