// The forges whose webhooks Sett reads: one file each in lib/triggers/forges.
// CONTRIBUTING.md#a-forge
import type { Forge } from "../model/trigger.ts";
import type { ForgeTraits } from "./forge.ts";
import { gitea } from "./forges/gitea.ts";
import { github } from "./forges/github.ts";
import { gitlab } from "./forges/gitlab.ts";

export const forges: Readonly<Record<Forge, ForgeTraits>> = { github, gitlab, gitea };
