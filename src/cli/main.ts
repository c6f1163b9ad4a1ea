#!/usr/bin/env node
import { readFileSync } from "node:fs";
import type { ListedCommand } from "../protocol/index.ts";
import type { ParserWords } from "./add-words.ts";
import { asksForHelp, showHelp } from "./program.ts";

const { version } = read("../../package.json") as { readonly version: string };
const commands = read("command-list.json") as readonly ListedCommand[];
const { stdin, stdout, stderr, env } = process;
const argv = process.argv.slice(2);

const help = asksForHelp(argv, commands);

if (help) {
  // A reader that went away has seen enough.
  stdout.on("error", () => {});
  const words = help.about === undefined ? undefined : wordsOf(help.about);
  showHelp({ argv, commands, version, stdin, stdout, env }, { ...help, words });
} else if (argv[0] === "completion" && argv[1] === "names") {
  // What the completion scripts ask for at each key: no command is loaded for it either.
  const { completeNames } = await import("./shell/complete-names.ts");
  stdout.write((await completeNames(argv[2] || ".")).map((name) => `${name}\n`).join(""));
} else {
  const { loadCommand, runCommandLine } = await import("./command-line.ts");
  const line = { argv, commands, load: loadCommand, words: wordsOf, version, stdin, stdout, stderr, env, process };
  // The code is set and the process left to end by itself, so that whatever reads the output gets all of it.
  process.exitCode = await runCommandLine(line);
}

function wordsOf(name: string): ParserWords | undefined {
  return (read("parser-words.json") as Readonly<Record<string, ParserWords>>)[name];
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}
