import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { listCommand } from "../../../src/protocol/command/describe-command.ts";
import { runCommandLine } from "../../../src/cli/run-command-line.ts";

/** What a command line left behind that was run in this very process. */
export interface RanInProcess {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LISTED = COMMANDS.map(listCommand);

/** Runs a command line in this process, with streams of its own. What it takes from the directory it stands in is this one's. */
export async function runInProcess(argv: readonly string[], stdin = ""): Promise<RanInProcess> {
  const [stdout, stderr] = [createSink(), createSink()];
  const code = await runCommandLine({
    argv,
    commands: LISTED,
    load: async (name) => {
      const command = COMMANDS.find((one) => one.name === name);
      if (!command) throw new Error(`There is no command ${name}`);
      return command;
    },
    version: "0.0.0",
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    process: Object.assign(new EventEmitter(), { exit: () => {} }),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function createSink(): Writable & { text(): string } {
  const parts: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      parts.push(chunk.toString("utf8"));
      done();
    },
  });
  return Object.assign(sink, { text: () => parts.join("") });
}
