// Shows what `sett up` decides before it makes anything.
import { describe, expect, test } from "bun:test";
import { anothers } from "../../../../../../apps/cli/instance/workspace-of.ts";
import {
  chooseInstance,
  knownId,
  requireFreeOrOwn,
} from "../../../../../../apps/cli/up/checks/checks.ts";
import { SettError } from "../../../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../../../../lib/runtime/port.ts";
import { instanceParts as parts } from "../../../../../support/cli/instance-parts.ts";

const here = "/home/ada/here";
const demo = InstanceName.parse("demo");

function refusal(all: InstanceParts[]): string | undefined {
  try {
    requireFreeOrOwn(demo, here, all);
    return undefined;
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return error.code;
  }
}

describe("a name and a repository", () => {
  test("an instance that is still being removed is that, whosever it is", () => {
    const ending = { words: "the claim sett-demo-blackboard", remedy: undefined };
    for (const owner of [here, anothers])
      expect(refusal([{ ...parts("demo", owner, "blackboard"), ending }])).toBe("not-ready");
    expect(refusal([parts("demo", anothers, "blackboard")])).toBe("instance-taken");
  });

  test("are free when no instance has them, and a repository may use its own again", () => {
    expect(refusal([])).toBeUndefined();
    for (const has of ["containers", "network", "blackboard"] as const)
      expect(refusal([parts("demo", here, has)])).toBeUndefined();
    expect(refusal([parts("other", "/elsewhere", "containers")])).toBeUndefined();
    expect(refusal([parts("other", here, "blackboard")])).toBeUndefined();
  });

  test("are taken by another repository's instance of that name, and by another instance of this repository", () => {
    for (const has of ["containers", "network", "blackboard"] as const)
      expect(refusal([parts("demo", "/elsewhere", has)])).toBe("instance-taken");
    expect(refusal([parts("other", here, "containers")])).toBe("workspace-taken");
    expect(refusal([parts("other", here, "network")])).toBe("workspace-taken");
  });

  const chosen = (name: string | undefined, folder: string, ...all: InstanceParts[]) =>
    String(chooseInstance(name, folder, all).instance);

  test("the name of a new instance is the folder's where that makes one", () => {
    expect(chosen(undefined, "/home/ada/My Repository_2")).toBe("my-repository-2");
    expect(chosen(undefined, "/home/ada/Prüf")).toBe("pruf");
    expect(chosen(undefined, "/srv/project.git")).toBe("project");
    expect(chosen(undefined, "/home/ada/pru\u0308f")).toBe("pruf");
    expect(chosen(undefined, "/home/ada/Große Straße №1 Łódź")).toBe("grosse-strasse-no1-lodz");
    expect(chosen(undefined, `/home/${"a".repeat(39)}-b`)).toBe("a".repeat(39));
    expect(chosen("demo", "/x")).toBe("demo");
    expect(() => chosen(undefined, "/home/ada/___")).toThrow("cannot be the name of an instance");
    expect(() => chosen("No", "/x")).toThrow("`No` cannot be the name");
  });

  test("without a name, up means the one instance that the repository has, running or kept, and says why", () => {
    for (const has of ["containers", "network", "blackboard"] as const)
      expect(
        chosen(undefined, here, parts("other", "/elsewhere", has), parts("demo", here, has)),
      ).toBe("demo");
    expect(
      chosen(undefined, here, parts("demo", here, "containers"), parts("kept", here, "blackboard")),
    ).toBe("demo");
    expect(chosen(undefined, here, parts("other", "/elsewhere", "containers"))).toBe("here");
    expect(chooseInstance(undefined, here, [parts("demo", here, "blackboard")]).why).toContain(
      "blackboard was kept for this repository",
    );
    expect(chooseInstance(undefined, here, []).why).toContain(
      "here, a new instance named after the folder",
    );
    expect(chooseInstance("demo", here, []).why).toBeUndefined();
  });

  test("with several kept blackboards up asks which one to go on with", () => {
    const kept = [parts("here", here, "blackboard"), parts("second", here, "blackboard")];
    expect(() => chosen(undefined, here, ...kept)).toThrow("here, second");
    expect(chosen("second", here, ...kept)).toBe("second");
  });
});

describe("the id of an instance", () => {
  const withId = (id: string): InstanceParts => {
    const found = parts("demo", here, "blackboard");
    const volumes = found.volumes.map((one) => ({ ...one, labels: { ...one.labels, id } }));
    return { ...found, volumes };
  };

  test("is that of its parts, as in a fresh clone, or else that of the repository", () => {
    expect(knownId(undefined, undefined)).toBeUndefined();
    expect(knownId(undefined, "aa.1")).toBe("aa.1");
    expect(knownId(withId("aa.1"), undefined)).toBe("aa.1");
    expect(knownId(withId("aa.1"), "aa.1")).toBe("aa.1");
  });

  test("is refused where the blackboard has another one than the repository, with the way to take it", () => {
    expect(() => knownId(withId("bb.2"), "aa.1")).toThrow(
      "sett-demo-blackboard was made for another instance named demo: its id is bb.2, and the one of this repository is aa.1.",
    );
    try {
      knownId(withId("bb.2"), "aa.1");
    } catch (error) {
      expect(error).toMatchObject({
        code: "instance-taken",
        hint: expect.stringContaining("git config sett.demo.id bb.2"),
      });
    }
  });
});
