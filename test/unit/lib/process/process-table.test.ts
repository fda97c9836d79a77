import { expect, test } from "bun:test";
import {
  entryOf,
  type ProcessEntry,
  readProcesses,
  straysAmong,
} from "../../../../lib/process/process-table.ts";

const entry = (pid: number, parent: number, group = pid): ProcessEntry => ({
  pid,
  parent,
  group,
  isZombie: false,
});

test("an entry is read whatever its name is", () => {
  expect(entryOf("7 (sleep) S 1 5 5 0 -1")).toEqual([
    { pid: 7, parent: 1, group: 5, isZombie: false },
  ]);
  expect(entryOf("8 (a) Z 1 (b) ) Z 3 8 8 0")).toEqual([
    { pid: 8, parent: 3, group: 8, isZombie: true },
  ]);
  expect(entryOf("8 (a")).toEqual([]);
  expect(entryOf("")).toEqual([]);
});

test("a process is no zombie while one of its threads lives, whose first one has ended", () => {
  const zombie = (threads: number) =>
    `9 (a) Z 1 9 9 0 -1 4228364 42 0 0 0 0 0 0 0 20 0 ${threads} 0 2145`;
  expect(entryOf(zombie(2))).toEqual([{ pid: 9, parent: 1, group: 9, isZombie: false }]);
  expect(entryOf(zombie(1))).toEqual([{ pid: 9, parent: 1, group: 9, isZombie: true }]);
});

test.if(process.platform === "linux")(
  "this process and its parent are among those of the machine",
  () => {
    const all = readProcesses();
    const own = all.find(({ pid }) => pid === process.pid);
    expect(own?.parent).toBe(process.ppid);
    expect(all.some(({ pid }) => pid === process.ppid)).toBe(true);
  },
);

const none = () => false;

test("strays are what descends from process 1, but for some groups, its own children, and what descends from these", () => {
  const all = [
    entry(1, 0),
    entry(10, 1, 1),
    entry(11, 10, 1),
    entry(20, 1),
    entry(21, 20, 20),
    entry(22, 21),
    entry(30, 1),
    entry(31, 30),
  ];
  const isOwn = (pid: number) => pid === 10;
  expect(straysAmong(all, new Set(), isOwn).map(({ pid }) => pid)).toEqual([20, 21, 22, 30, 31]);
  expect(straysAmong(all, new Set([20]), isOwn).map(({ pid }) => pid)).toEqual([30, 31]);
});

test("what an ended child of process 1 has left in the group of process 1 is a stray", () => {
  const all = [entry(1, 0), entry(10, 1, 1), entry(11, 10, 1), entry(12, 1, 1), entry(13, 12, 1)];
  expect(straysAmong(all, new Set(), (pid) => pid === 10).map(({ pid }) => pid)).toEqual([12, 13]);
});

test("who has come into the container from outside is no stray, nor is what it starts", () => {
  expect(straysAmong([entry(1, 0), entry(40, 0), entry(41, 40)], new Set(), none)).toEqual([]);
});

test("a chain of parents that has changed while it was read is no stray and ends", () => {
  expect(straysAmong([entry(1, 0), entry(50, 51), entry(52, 99)], new Set(), none)).toEqual([]);
});
