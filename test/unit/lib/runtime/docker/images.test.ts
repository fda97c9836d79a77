import { expect, test } from "bun:test";
import { digestFor } from "../../../../../lib/runtime/docker/images.ts";

const at = (name: string) => `${name}@sha256:${"0".repeat(64)}`;
const known = ["a.example.org/tool", "debian", "team/tool", "z.example.org:5000/tool"].map(at);

test.each([
  ["debian:12", "debian"],
  ["docker.io/library/debian@sha256:00", "debian"],
  ["index.docker.io/team/tool:1", "team/tool"],
  ["z.example.org:5000/tool:1", "z.example.org:5000/tool"],
  ["z.example.org:5000/tool", "z.example.org:5000/tool"],
])("an image that several registries have is, as %s, that of %s", (image, name) => {
  expect(digestFor(image, known)).toBe(at(name));
});

test("an image by a name of this machine alone has the digest of where it came from", () => {
  expect(digestFor("mine:1", known)).toBe(at("a.example.org/tool"));
  expect(digestFor("mine:1", [])).toBeUndefined();
});
