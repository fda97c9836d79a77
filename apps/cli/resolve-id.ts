// Short ids: what people copy from a table.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { SettError } from "../../lib/model/errors.ts";
import { ArtefactId, type GoalId } from "../../lib/model/ids.ts";

const fewestCharacters = 6;

/** The whole id of an artefact. Throws `artefact-not-found`, `artefact-ambiguous`, or `usage` for what is no id. */
export async function resolveArtefactId(board: Blackboard, text: string): Promise<ArtefactId> {
  const start = startOfId(text, "artefact");
  const whole = ArtefactId.safeParse(start);
  if (whole.success) return whole.data;
  const ids = await Promise.all((await board.listGoals()).map((goal) => board.listArtefactsOfGoal(goal)));
  const found = ids.flat().filter((id) => id.startsWith(start));
  const [only, ...others] = found;
  if (only === undefined) throw notFound(text, "artefact");
  if (others.length === 0) return only;
  const candidates = (await board.readArtefacts(found)).map(
    ({ id, type, metadata }) => `  ${id}  ${type}${metadata.summary === undefined ? "" : `  ${metadata.summary}`}`,
  );
  throw new SettError("artefact-ambiguous", `${text} stands for ${found.length} artefacts:\n${candidates.join("\n")}`, {
    hint: "Give more characters.",
  });
}

/** As above, for goals. */
export async function resolveGoalId(board: Blackboard, text: string): Promise<GoalId> {
  const start = startOfId(text, "goal");
  const found = (await board.listGoals()).filter((id) => id.startsWith(start));
  const [only, ...others] = found;
  if (only === undefined) throw notFound(text, "goal");
  if (others.length === 0) return only;
  throw new SettError(
    "artefact-ambiguous",
    `${text} stands for ${found.length} goals:\n${found.map((id) => `  ${id}`).join("\n")}`,
    {
      hint: "Give more characters.",
    },
  );
}

function startOfId(text: string, what: string): string {
  const start = text.trim().toLowerCase();
  if (/^[0-9a-f-]*$/.test(start) && start.length >= fewestCharacters) return start;
  const problem = start.length < fewestCharacters ? `at least ${fewestCharacters} characters` : "digits and the letters a to f";
  throw new SettError(
    "usage",
    `\`${text}\` is no id of a${what === "artefact" ? "n artefact" : ` ${what}`}: that has ${problem}.`,
    {
      hint: "`sett hoard` lists the ids.",
    },
  );
}

export function notFound(text: string, what: "artefact" | "goal"): SettError {
  return new SettError("artefact-not-found", `There is no ${what} ${text}.`, {
    hint: "`sett hoard` lists what there is.",
  });
}
