#!/usr/bin/env node
import { readFileSync } from "node:fs";
import type { ListedCommand } from "./listed-command.ts";
import { loadCommand } from "./load-command.ts";
import { runCommandLine } from "./run-command-line.ts";

const { version } = read("../../package.json") as { readonly version: string };

// The code is set and the process left to end by itself, so that whatever reads the output gets all of it.
process.exitCode = await runCommandLine({
  argv: process.argv.slice(2),
  commands: read("command-list.json") as readonly ListedCommand[],
  load: loadCommand,
  version,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  process,
});

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}
