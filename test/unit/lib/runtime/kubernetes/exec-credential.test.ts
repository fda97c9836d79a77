import { expect, test } from "bun:test";
import { pluginCredential } from "../../../../../lib/runtime/kubernetes/exec-credential.ts";

test("the command of a plug-in that fails can be pasted into a shell", async () => {
  const plugin = {
    apiVersion: "v1",
    command: "./no such plugin",
    args: ["--role", "a b; c", "it's"],
  };
  const credential = pluginCredential(plugin, { folder: "/home/ada", context: "one", env: {} });
  await expect(credential()).rejects.toMatchObject({
    code: "kubernetes-unreachable",
    hint: `Run it once yourself: '/home/ada/no such plugin' --role 'a b; c' 'it'\\''s'`,
  });
});
