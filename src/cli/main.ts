#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { COMMANDS } from "./commands.ts";
import { runCommandLine } from "./run-command-line.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

// The code is set and the process left to end by itself, so that whatever reads the output gets all of it.
process.exitCode = await runCommandLine({
  argv: process.argv.slice(2),
  commands: COMMANDS,
  version,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  process,
});
