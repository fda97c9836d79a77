// `services.orchestrator.image`: a tag that means this version, one of another version, one that is
// nowhere, one that the user has built.
import { expect, test } from "bun:test";
import { findOrchestrator } from "../../../../../../apps/cli/up/images/orchestrator-image.ts";
import { SettError } from "../../../../../../lib/model/errors.ts";
import type { ImageInfo } from "../../../../../../lib/runtime/port.ts";

const image: ImageInfo = {
  ...{
    id: "sha256:1",
    digest: undefined,
    architecture: "amd64",
    user: "",
    env: {},
    entrypoint: [],
    command: [],
    workingDir: "",
    volumes: [],
  },
  labels: {},
};

/** An engine that has these tags, with the version in each one's labels. */
async function found(
  tag: string | undefined,
  here: Record<string, string | undefined>,
): Promise<string | SettError> {
  const find = async (tag: string) => {
    if (!(tag in here))
      throw new SettError("image-not-found", `The image ${tag} could not be pulled.`);
    const version = here[tag];
    const title = "org.opencontainers.image.title";
    const labels = version && {
      [title]: "sett/orchestrator",
      "org.opencontainers.image.version": version,
    };
    return { ...image, tag, labels: labels || {} };
  };
  return await findOrchestrator(tag, "1.2.3", find).then(
    ({ tag }) => tag,
    (error: unknown) => {
      if (error instanceof SettError) return error;
      throw error;
    },
  );
}

const own = { "sett/orchestrator:1.2.3": "1.2.3" };

test.each([undefined, "sett/orchestrator:1.2.3", "sett/orchestrator:v1.2.3"])(
  "%s is the one that belongs to sett 1.2.3",
  async (tag) => {
    expect(await found(tag, own)).toBe("sett/orchestrator:1.2.3");
  },
);

test("any other image is taken as it is, as long as it is of no other version", async () => {
  expect(await found("mine:1", { "mine:1": undefined })).toBe("mine:1");
  expect(await found("mine:1", { "mine:1": "1.2.3" })).toBe("mine:1");
});

test("one of another version is refused, with both versions and what to do", async () => {
  const refused = await found("sett/orchestrator:latest", { "sett/orchestrator:latest": "1.3.0" });
  expect(refused).toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(
      "sett/orchestrator:latest is an orchestrator of Sett 1.3.0, and this is sett 1.2.3",
    ),
    hint: expect.stringContaining("Remove `services.orchestrator.image`"),
  });
});

test.each(["sett/orchestrator:v9", "sett/orchestrator"])(
  "%s, which is nowhere, is refused with the one that is here",
  async (tag) => {
    expect(await found(tag, own)).toMatchObject({
      code: "image-not-found",
      message: `The image ${tag} is not on this machine, and no registry has it.`,
      hint: expect.stringContaining("sett/orchestrator:1.2.3"),
    });
  },
);
