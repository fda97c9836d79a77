// The highlighter with the languages that results of agents are most often in: each takes its part
// of the page's size.

import bash from "refractor/bash";
import c from "refractor/c";
import { refractor } from "refractor/core";
import cpp from "refractor/cpp";
import csharp from "refractor/csharp";
import css from "refractor/css";
import diff from "refractor/diff";
import docker from "refractor/docker";
import go from "refractor/go";
import ini from "refractor/ini";
import java from "refractor/java";
import javascript from "refractor/javascript";
import json from "refractor/json";
import jsx from "refractor/jsx";
import kotlin from "refractor/kotlin";
import lua from "refractor/lua";
import makefile from "refractor/makefile";
import markdown from "refractor/markdown";
import markup from "refractor/markup";
import php from "refractor/php";
import python from "refractor/python";
import ruby from "refractor/ruby";
import rust from "refractor/rust";
import sql from "refractor/sql";
import swift from "refractor/swift";
import toml from "refractor/toml";
import tsx from "refractor/tsx";
import typescript from "refractor/typescript";
import yaml from "refractor/yaml";

for (const language of [
  ...[
    bash,
    c,
    cpp,
    csharp,
    css,
    diff,
    docker,
    go,
    ini,
    java,
    javascript,
    json,
    jsx,
    kotlin,
    lua,
    makefile,
    markdown,
    markup,
  ],
  ...[php, python, ruby, rust, sql, swift, toml, tsx, typescript, yaml],
])
  refractor.register(language);

const byEnding: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "c",
  cc: "cpp",
  cfg: "ini",
  cjs: "javascript",
  conf: "ini",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  diff: "diff",
  go: "go",
  h: "c",
  hpp: "cpp",
  htm: "markup",
  html: "markup",
  ini: "ini",
  java: "java",
  js: "javascript",
  json: "json",
  jsx: "jsx",
  kt: "kotlin",
  lua: "lua",
  md: "markdown",
  mjs: "javascript",
  mk: "makefile",
  mts: "typescript",
  patch: "diff",
  php: "php",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  sql: "sql",
  svg: "markup",
  swift: "swift",
  toml: "toml",
  ts: "typescript",
  tsx: "tsx",
  xml: "markup",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash",
};

/** Returns the language of a file by its path; undefined: no colours. */
export function languageOf(path: string): string | undefined {
  const name = path.split("/").at(-1) ?? "";
  if (/^(?:Dockerfile|Containerfile)/.test(name)) return "docker";
  if (/^(?:GNU)?makefile$/i.test(name)) return "makefile";
  return byEnding[name.split(".").at(-1)?.toLowerCase() ?? ""];
}

export { refractor };
