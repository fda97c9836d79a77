import { expect, test } from "bun:test";
import { goalHref, hrefOf, placeOf } from "../../../../apps/page/routes.ts";

test.each([
  ["", { view: "goals" }],
  ["#/", { view: "goals" }],
  ["#/goals", { view: "goals" }],
  ["#/goals/9f3a12b4", { view: "goal", goal: "9f3a12b4" }],
  ["#/inbox", { view: "inbox" }],
  ["#/clan/", { view: "clan" }],
  ["#/log?type=a%2Cb", { view: "log" }],
  ["#/new", { view: "new" }],
  ["#/you", { view: "you" }],
  ["#/moon", { view: "unknown", path: "/moon" }],
  ["#/goals/%", { view: "unknown", path: "/goals/%" }],
  ["#/goals/%E0%A4%A", { view: "unknown", path: "/goals/%E0%A4%A" }],
  ["#/log?actor=%E0%A4%A", { view: "log" }],
  ["#/goals/a/b", { view: "unknown", path: "/goals/a/b" }],
])("the address %s is a view", (fragment, route) => {
  expect(placeOf(fragment).route).toEqual(route as ReturnType<typeof placeOf>["route"]);
});

test("an address gives back what was written into it", () => {
  const query = { type: "a,b", actor: "person:Ada & <Co>" };
  expect(placeOf(hrefOf("/log", query)).query).toEqual(query);
  expect(placeOf(goalHref("9f3a", "12b4", "diff"))).toEqual({
    route: { view: "goal", goal: "9f3a" },
    query: { a: "12b4", tab: "diff" },
  });
  expect(hrefOf("/log", { type: "", agent: undefined })).toBe("#/log");
});
