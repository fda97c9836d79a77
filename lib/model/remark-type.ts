/** The type of the Answer, to no question, with which a person tells running work something. */
export const remarkType = "PersonSays";
