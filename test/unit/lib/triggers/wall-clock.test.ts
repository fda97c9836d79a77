import { expect, test } from "bun:test";
import { wallClock } from "../../../../lib/triggers/wall-clock.ts";

const at = (time: string) => new Date(`${time}:00.000Z`);
const timesIn = (zone: string, wall: string) => {
  const { times, leftOut } = wallClock(zone).timesOf(at(wall));
  return leftOut === undefined ? times : { leftOut };
};

test("a clock shows its zone's time, with that of summer and with parts of an hour", () => {
  expect(wallClock("Europe/Berlin").shows(at("2026-07-01T10:00"))).toEqual(at("2026-07-01T12:00"));
  expect(wallClock("Asia/Kathmandu").shows(at("2026-07-01T20:00"))).toEqual(at("2026-07-02T01:45"));
  expect(wallClock("UTC").shows(at("2026-07-01T00:00"))).toEqual(at("2026-07-01T00:00"));
});

test("what a clock shows is once, twice, or never", () => {
  expect(timesIn("Europe/Berlin", "2026-07-01T12:00")).toEqual([at("2026-07-01T10:00")]);
  expect(timesIn("Europe/Berlin", "2026-10-25T02:30")).toEqual([
    at("2026-10-25T00:30"),
    at("2026-10-25T01:30"),
  ]);
  expect(timesIn("Europe/Berlin", "2026-03-29T02:30")).toEqual({ leftOut: at("2026-03-29T01:00") });
  expect(timesIn("Europe/Berlin", "2026-03-29T03:00")).toEqual([at("2026-03-29T01:00")]);
});

test("a change of half an hour, and a day that a zone has left out, are known", () => {
  expect(timesIn("Australia/Lord_Howe", "2026-10-04T02:15")).toEqual({
    leftOut: at("2026-10-03T15:30"),
  });
  expect(timesIn("Australia/Lord_Howe", "2026-04-05T01:45")).toEqual([
    at("2026-04-04T14:45"),
    at("2026-04-04T15:15"),
  ]);
  expect(timesIn("Pacific/Apia", "2011-12-30T12:00")).toEqual({ leftOut: at("2011-12-30T10:00") });
});

test("the bounds of what is shown reach over a clock that is set back", () => {
  const berlin = wallClock("Europe/Berlin");
  expect(berlin.showsAtLeast(at("2026-10-25T00:50"))).toEqual(at("2026-10-25T01:50"));
  expect(berlin.showedAtMost(at("2026-10-25T01:10"))).toEqual(at("2026-10-25T03:10"));
  expect(berlin.showedAtMost(at("2026-07-01T10:00"))).toEqual(at("2026-07-01T12:00"));
});
