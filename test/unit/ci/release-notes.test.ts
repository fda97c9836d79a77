import { expect, test } from "bun:test";
import { notesOf, versionOf } from "../../../.ci/release-notes.ts";

const changelog = `# Changelog

## [Unreleased]

## 1.1.0 - 2026-11-22

### Added

- A thing.

## 1.0.0 - 2026-11-01

- The first.

## 0.9.0 - 2026-10-01
`;

test("a version's notes are its section, up to the next version's", () => {
  expect(notesOf(changelog, "1.1.0")).toBe("### Added\n\n- A thing.");
  expect(notesOf(changelog, "1.0.0")).toBe("- The first.");
});

test("a version without a section, or with an empty one, is not released", () => {
  expect(() => notesOf(changelog, "1.1")).toThrow('no section "## 1.1 - DATE"');
  expect(() => notesOf(changelog, "0.9.0")).toThrow("about 0.9.0 is empty");
});

test("a tag names the version of package.json", () => {
  expect(versionOf("v1.1.0", "1.1.0")).toBe("1.1.0");
  expect(() => versionOf("v1.2.0", "1.1.0")).toThrow("tag v1.1.0, or change the version");
});
