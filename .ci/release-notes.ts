// The notes of a release: `bun .ci/release-notes.ts v1.2.3` prints the section of CHANGELOG.md
// about this version. It fails where the tag is not the version of package.json, or where the
// section is missing or empty.

import { dirname, join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { reportFailure } from "./report-failure.ts";

/**
 * The section of a changelog about a version, without its heading. Throws where there is none, or
 * nothing in it.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(
    (text) => text.startsWith(`[${version}]`) || text.startsWith(`${version} `),
  );
  if (section === undefined)
    throw new Error(
      `CHANGELOG.md has no section "## ${version} - DATE": rename the section of the unreleased changes.`,
    );
  const notes = section.slice(section.indexOf("\n")).trim();
  if (!/^- /m.test(notes))
    throw new Error(`The section of CHANGELOG.md about ${version} is empty.`);
  return notes;
}

/** Throws where the tag names another version than package.json. */
export function versionOf(tag: string, version: string): string {
  if (tag !== `v${version}`)
    throw new Error(
      `The tag is ${tag}, and package.json has version ${version}: tag v${version}, or change the version.`,
    );
  return version;
}

if (import.meta.main) {
  try {
    const version = versionOf(process.argv[2] ?? "", packageJson.version);
    const changelog = await Bun.file(join(dirname(import.meta.dir), "CHANGELOG.md")).text();
    console.log(notesOf(changelog, version));
  } catch (error) {
    reportFailure(error);
  }
}
