import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import { createId } from "../core/index.ts";
import { endMarked } from "./process-tree.ts";

/** Characters of standard error that are kept for an error's text. */
const TAIL_LENGTH = 4000;

/** A CLI process and all that it starts. */
export interface CliProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** The end of what it wrote to standard error. */
  stderrTail(): string;
  /** Ends the CLI and the children of its tools, and resolves when they are gone. */
  end(): Promise<void>;
}

/** Starts the CLI with a mark in its environment, by which all that it starts can be found and ended with it. */
export function spawnCli({ command, args, cwd, env, signal }: SpawnOptions): CliProcess {
  const id = createId();
  const child = spawn(command, args, {
    cwd,
    env: { ...env, SKEIN_PROCESS: id },
    signal,
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own: Ctrl-C on the terminal is for Skein, which ends the turn in order.
    detached: true,
  });
  let tail = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    tail = (tail + text).slice(-TAIL_LENGTH);
  });
  return { child, stderrTail: () => tail.trim(), end: () => endMarked(`SKEIN_PROCESS=${id}`) };
}
