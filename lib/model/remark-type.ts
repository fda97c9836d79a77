/** The type of the Answer, to no question, with which a person tells running work something. */
export const remarkType = "PersonSays";

/** No agent can make one: the type is Sett's own. */
export function isRemark({ type, structural_type }: Record<"type" | "structural_type", string>) {
  return type === remarkType && structural_type === "Answer";
}
