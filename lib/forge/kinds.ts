// The forges at which results become pull requests: one file each in lib/forge/kinds.
import type { ReviewingForge } from "../model/trigger.ts";
import type { ForgeKind } from "./kind.ts";
import { gitea } from "./kinds/gitea.ts";
import { github } from "./kinds/github.ts";

export const forgeKinds: Readonly<Record<ReviewingForge, ForgeKind>> = { github, gitea };
