// Which user of this machine root of a container is, where the Engine has `userns-remap`.
import { expect, test } from "bun:test";
import { firstUserIn } from "../../../../../lib/runtime/docker/engine.ts";

test("the Engine's folder is called after it", () => {
  expect(firstUserIn("/var/lib/docker/165536.231072")).toEqual({ uid: 165_536, gid: 231_072 });
  expect(firstUserIn("/var/lib/docker")).toBeUndefined();
  expect(firstUserIn("/srv/v1.2/docker")).toBeUndefined();
  expect(firstUserIn("")).toBeUndefined();
});
