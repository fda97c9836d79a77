import { describe, expect, test } from "bun:test";
import { forbiddenOwnType, type TypeSource } from "../../../../lib/model/own-types.ts";

const standard = (type: string, source: TypeSource = "command") =>
  forbiddenOwnType({ structural_type: "Standard", type }, source);

describe("a type of Sett's own", () => {
  const own = [
    "GoalDefined",
    "GoalFeedback",
    "BudgetExceeded",
    "ToolExecutionFailure",
    "AttemptLost",
    "AgentRemoved",
    "AgentSilent",
    "ModelCallFailed",
    "ModelGaveNoResult",
    "ArtefactUnreadable",
    "ArtefactLimitExceeded",
    "ReviewRoundsExceeded",
    "ProducerGone",
  ];

  test.each(own)("%s is refused from commands, whatever its structural type", (type) => {
    for (const structural_type of ["Standard", "Review", "Question", "Answer", "Failure", "Terminal"] as const)
      expect(forbiddenOwnType({ structural_type, type }, "command")).toBe(type);
  });

  test("is for a cub to send, or for Sett's own worker to print, where the cub or the worker says so itself", () => {
    const of = (structural_type: "Failure" | "Question" | "Standard", type: string, source: TypeSource) =>
      forbiddenOwnType({ structural_type, type }, source);
    expect(of("Failure", "ToolExecutionFailure", "agent")).toBeUndefined();
    expect(of("Failure", "AttemptLost", "agent")).toBeUndefined();
    expect(of("Question", "BudgetExceeded", "agent")).toBeUndefined();
    expect(of("Question", "BudgetExceeded", "worker")).toBeUndefined();
    expect(of("Failure", "ModelGaveNoResult", "worker")).toBeUndefined();
    expect(of("Failure", "ToolExecutionFailure", "worker")).toBe("ToolExecutionFailure");
    expect(of("Failure", "AgentSilent", "agent")).toBe("AgentSilent");
    expect(of("Standard", "AttemptLost", "agent")).toBe("AttemptLost");
    expect(of("Question", "GoalFeedback", "agent")).toBe("GoalFeedback");
    expect(standard("GoalDefined", "agent")).toBe("GoalDefined");
  });
});

test.each([
  ["another case", "goaldefined"],
  ["another case", "GOALDEFINED"],
  ["spaces", " Goal Defined "],
  ["a space of another width", "Goal\u2003Defined"],
  ["punctuation", "goal_defined"],
  ["punctuation", "Goal-Defined."],
  ["punctuation", "GoalDefined!"],
  ["full width", "ＧｏａｌＤｅｆｉｎｅｄ"],
  ["mathematical letters", "𝐆𝐨𝐚𝐥𝐃𝐞𝐟𝐢𝐧𝐞𝐝"],
  ["letters in circles", "Ⓖⓞⓐⓛ Ⓓⓔⓕⓘⓝⓔⓓ"],
  ["a ligature", "GoalDeﬁned"],
  ["marks", "Gòálḍefïned"],
  ["loose marks", "G\u0336oalDefined"],
  ["an invisible space", "Goal\u200bDefined"],
  ["a mark of direction", "\u202eGoalDefined"],
  ["a soft hyphen", "Goal\u00adDefined"],
  ["a variation selector", "GoalDefined\ufe0f"],
  ["a Hangul filler", "Goal\u3164Defined"],
  ["a tag", "GoalDefined\u{e0041}"],
  ["Cyrillic", "GоаlDеfinеd"],
  ["Greek", "GοαlDεfιηεd"],
  ["a digit", "G0alDefined"],
  ["a capital i", "GoaIDefined"],
  ["a bar", "Goa|Defined"],
  ["two letters that look like one", "GoalclefinecI"],
  ["a small capital", "ɢᴏᴀʟᴅᴇfɪɴᴇᴅ"],
  ["a letter that no list has", "Ꮆoal𐐔efined"],
  ["Cyrillic alone", "ԍоаӏԁеfіпеԁ"],
])("a type that looks like Sett's own is refused: %s (%j)", (_what, type) => {
  expect(standard(type)).toBe("GoalDefined");
});

test.each([
  "Standard",
  "Review",
  "Question",
  "Answer",
  "Failure",
  "Terminal",
  "CodeCommit",
  "Goal",
  "GoalDefinedTwice",
  "GoalReached",
  "BuildFailed",
  "Budget",
  "Отчёт",
  "目標定義完了報告書類一覧",
  "Zieldefinition",
  "ToolReport",
])("every other type is free: %s", (type) => {
  for (const structural_type of ["Standard", "Failure", "Question"] as const)
    expect(forbiddenOwnType({ structural_type, type }, "command")).toBeUndefined();
});
