// Workers share a checkout: one turns against it, against the overlay that it works in, and against
// those who come after it. In real containers.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/**
 * Does what the goal says, and answers with what that has written; nothing of its own is in a file.
 */
const runner = `goal=$(jq -r .target_artefact.payload)
out=$(sh -c "$goal" 2>&1 < /dev/null)
jq -n --arg text "$out" '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;

/** Sets what an overlay notes about itself; says what has worked. */
const forgeProgram = `
import { dlopen } from "bun:ffi";
const { symbols } = dlopen("libc.so.6", {
  setxattr: { args: ["cstring", "cstring", "ptr", "u64", "i32"], returns: "i32" },
  mknod: { args: ["cstring", "u32", "u64"], returns: "i32" },
});
const text = (words) => Buffer.from(words + "\\0");
const value = Buffer.from("y");
let tried = 0;
const names = ["trusted", "user"].flatMap((kind) => ["opaque", "redirect", "metacopy", "origin"].map((note) => kind + ".overlay." + note));
for (const name of names)
  if (++tried && symbols.setxattr(text("/workspace/folder"), text(name), value, 1, 0) === 0) console.log("set", name);
const kinds = { whiteout: [0o020644, 0n], null: [0o020666, 259n], disk: [0o060644, 2048n] };
for (const [kind, [mode, device]] of Object.entries(kinds))
  if (++tried && symbols.mknod(text("/workspace/" + kind), mode, device) === 0) console.log("made", kind);
console.log("tried", tried);
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("one", runner),
    "agents/one/forge.ts": forgeProgram,
    "agents/one/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh forge.ts /app/\n",
    "folder/tracked": "tracked\n",
    "folder/other": "other\n",
    "program.sh": "#!/bin/sh\n",
    "sett.yml": settYml({
      one: "    replicas: 2\n    strategy: fresh_per_call\n    bids: [{ on: GoalDefined, bid: exclusive }]\n",
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

/** Returns what a worker has written when it has done this. */
async function outputOf(...script: string[]): Promise<string> {
  const { id } = JSON.parse(
    await sett.need("forage", "--watch", "--json", "--goal", script.join("\n")),
  );
  return (await sett.artefacts(id)).find(({ type }) => type === "Done")?.payload ?? "";
}

const state = "git status --porcelain --ignored; cat folder/*; stat -c '%a %n' program.sh folder";
const clean = "other\ntracked\n755 program.sh\n755 folder";

/** The workers of this test really lie over a layer, which is the same one. */
const layers = async () =>
  (
    await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=layer`.text()
  )
    .split("\n")
    .filter(Boolean);

test("what a worker writes, removes, renames or closes is in no other worker's workspace", async () => {
  expect(await outputOf("grep -c ' /workspace .* - overlay ' /proc/self/mountinfo")).toBe("1");
  const harm = [
    "echo evil > folder/tracked; rm folder/other; mv folder moved; mkdir folder; echo x > folder/tracked",
    "rm -rf folder; ln -s /etc folder; chmod 0 program.sh; echo '*' > .gitignore; mkdir -p a/.git; chmod 000 a .",
  ];
  for (const one of harm) {
    await outputOf(one);
    expect(await outputOf(state)).toBe(clean);
  }
  expect(await layers()).toHaveLength(1);
});

test("the layer itself cannot be written to, by any of its paths", async () => {
  const tries = [
    "echo evil > /git/layer/tree/folder/tracked",
    "rm /git/layer/index",
    "touch /git/layer/new",
    "chmod 777 /git/layer/tree",
    "ln folder/tracked /git/layer/tree/linked",
    "exec 3< /git/layer/tree/folder/tracked; echo evil > /proc/self/fd/3",
    "mount -o remount,rw /git/layer",
  ].map((one) => `(${one}) > /dev/null 2>&1 && echo "worked: ${one.replaceAll('"', "")}"`);
  // An overlay copies what is open before it is written to.
  const open =
    "exec 4< folder/other; echo evil > /proc/self/fd/4; exec 5<> folder/tracked; echo evil >&5";
  expect(await outputOf(...tries, open, "cat /git/layer/tree/folder/*")).toBe("other\ntracked");
  expect(await outputOf(state)).toBe(clean);
});

test("a command can make no whiteout, opaque folder, redirect or device", async () => {
  const program = "BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run /app/forge.ts";
  expect(await outputOf(program, "ls")).toBe(
    "tried 11\nREADME.md\nagents\nfolder\nprogram.sh\nsett.yml",
  );
  expect(await outputOf(state)).toBe(clean);
});

test("a set-user-ID program in a workspace gives no one its owner's rights", async () => {
  const mount = "grep ' /workspace ' /proc/self/mountinfo | grep -o 'nosuid,nodev' ";
  expect(await outputOf("cp /bin/sh s; chmod 6755 s", mount)).toBe("nosuid,nodev");
});

test("the disk of a worker that has ended is gone, whatever was in it", async () => {
  await outputOf("mkdir -p a/b; echo x > a/b/c; chmod 000 a/b a; chmod 000 .");
  const disks = async () =>
    (
      await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=workspace`.text()
    )
      .split("\n")
      .filter((name) => name.includes(".over-"));
  await waitFor("its disk to be removed", async () => (await disks()).length === 0);
});
