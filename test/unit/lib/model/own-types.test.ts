import { describe, expect, test } from "bun:test";
import {
  forbiddenOwnType,
  ownTypes,
  problemOfPosted,
  problemOfType,
  type TypeSource,
} from "../../../../lib/model/own-types.ts";

const standard = (type: string, source: TypeSource = "command") =>
  forbiddenOwnType({ structural_type: "Standard", type }, source);

describe("a type of Sett's own", () => {
  test.each([...ownTypes])("%s is refused from commands, whatever its structural type", (type) => {
    for (const structural_type of [
      "Standard",
      "Review",
      "Question",
      "Answer",
      "Failure",
      "Terminal",
    ] as const)
      expect(forbiddenOwnType({ structural_type, type }, "command")).toBe(type);
  });

  test("is for a cub to send, or for Sett's own worker to print, where the cub or the worker says so itself", () => {
    const of = (
      structural_type: "Failure" | "Question" | "Standard",
      type: string,
      source: TypeSource,
    ) => forbiddenOwnType({ structural_type, type }, source);
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
  ["letters in black squares", "🅶🅾🅰🅻🅳🅴🅵🅸🅽🅴🅳"],
  ["letters in black circles", "🅖🅞🅐🅛🅓🅔🅕🅘🅝🅔🅓"],
  ["letters in squares", "🄶🄾🄰🄻🄳🄴🄵🄸🄽🄴🄳"],
  ["letters of flags", "🇬🇴🇦🇱🇩🇪🇫🇮🇳🇪🇩"],
  ["signs drawn like letters", "Goa£D℮fin€d"],
  ["a sign that no list has", "G◯alDefined"],
  ["an ornament", "★GoalDefined™"],
  ["ornaments and signs for letters", "✓GoalD℮f¡ned✓"],
  ["an exclamation mark upside down", "GoalDef¡ned"],
  ["an at sign", "Go@lDefined"],
  ["a digit", "Go4lDefined"],
  ["a digit", "GoalD3fined"],
  ["a digit", "6oalDefined"],
  ["a digit", "9oalDefined"],
  ["digits", "604lD3f1n3d"],
  ["a neighbour in looks", "qoalDefined"],
  ["Lisu", "ꓖꓳꓮꓡꓓꓰꓝꓲꓠꓰꓓ"],
  ["Cherokee", "ᏀᎾᎪᏞᎠᎬfᎥnᎬᎠ"],
  ["Canadian syllabics", "ᘜOᗩᒪ ᗪEᖴIᑎEᗪ"],
  ["Canadian syllabics alone", "ᘜᝪᗩᒪᗪᗴᖴᓰᑎᗴᗪ"],
  ["signs of money", "₲Ø₳ⱠĐɆ₣ł₦ɆĐ"],
  ["Cherokee in other shapes", "ᎶᎧᏗᏝᎴᏋᎦᎥᏁᏋᎴ"],
  ["letters of many scripts", "ﻮ๏คɭ๔єŦเภє๔"],
  ["Chinese and Japanese", "Ꮆㄖ卂ㄥᗪ乇千丨几乇ᗪ"],
  ["half-width Katakana", "ムのﾑﾚり乇ｷﾉ刀乇り"],
  ["capitals of Greek and Russian", "GӨΛᄂDΣFIПΣD"],
  ["strokes", "ꞬꝋⱥꝆꝹɇꟻɨꞑɇꟈ"],
  ["an isolate", "\u2067GoalDefined\u2069"],
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
  "★★★★★★★★★★★",
  "ᐃᓄᒃᑎᑐᑦ",
  "ᏣᎳᎩ",
  "ワークフロー定義",
  "ΑΠΟΤΕΛΕΣΜΑ",
  "ПРОТОКОЛ",
  "GoalDefined2",
  "GoalRefined",
  "Goal→Defect",
  "3DModel",
  "C++",
  "Q&A",
])("every other type is free: %s", (type) => {
  for (const structural_type of ["Standard", "Failure", "Question"] as const)
    expect(forbiddenOwnType({ structural_type, type }, "command")).toBeUndefined();
});

test.each([
  ["BudqetExceeded", "BudgetExceeded"],
  ["8udgetExceeded", "BudgetExceeded"],
  ["A+temptLost", "AttemptLost"],
])("so is %s, for %s", (type, own) => expect(standard(type)).toBe(own));

test.each([
  "\u202edenifeDlaoG",
  "\u2067Report\u2069",
  "\u202aReport",
  "Re\u200fport",
  "\u061cReport",
])("a type that turns the direction of text is refused: %j", (type) => {
  for (const source of ["command", "worker", "agent"] as const)
    expect(problemOfType({ structural_type: "Standard", type }, source)).toMatch(/type/);
});

test("names that are made of ordinary words and numbers are free", () => {
  const words = [
    "Goal",
    "Define",
    "Defined",
    "Budget",
    "Exceeding",
    "Agent",
    "Silent",
    "Tool",
    "Model",
    "Report",
    "Review",
    "Call",
    "Lost",
  ];
  const others = [
    "Lint",
    "Round",
    "Result",
    "Plan",
    "Code",
    "v2",
    "HTTP",
    "Ergebnis",
    "C++",
    "v1.0",
  ];
  const all = [...words, ...others];
  const own = new Set(["goaldefined", "agentsilent", "modelcalllost"]);
  let count = 0;
  for (const first of all)
    for (const second of all)
      for (const third of ["", ...all]) {
        const isOwn = [...own].some((one) => `${first}${second}${third}`.toLowerCase() === one);
        const type = `${first}${second}${third}`;
        const problem = problemOfType({ structural_type: "Standard", type }, "command");
        if (problem !== undefined) expect(isOwn ? "" : type).toBe("");
        count += 1;
      }
  expect(count).toBeGreaterThan(5_000);
});

test("a person posts what is neither a type of Sett's own nor a structural one", () => {
  for (const type of ["Note", "CodeCommit", "Release notes", "Überblick"])
    expect(problemOfPosted(type)).toBeUndefined();
  expect(problemOfPosted("GoalDefined")).toBe("the type GoalDefined, which is Sett's own");
  expect(problemOfPosted("review")).toBe("a Review");
  expect(problemOfPosted("Answer")).toBe("an Answer");
  expect(problemOfPosted(" \u200b")).toBe("a type without a character");
  expect(problemOfPosted("\ud800x")).toBe("a type with half a surrogate pair");
  expect(problemOfPosted("x".repeat(201))).toBe("a type of more than 200 characters");
});
