import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What a host of a conversation is told. */
export interface TraceHostOrder {
  readonly directory: string;
  readonly home: string;
  readonly prompts: readonly string[];
  /** The offline model; without it files are written by a fake engine. */
  readonly url?: string;
  /** The home of Claude Code. */
  readonly config?: string;
  /** What to go on with; a new one by default. */
  readonly conversation?: string;
  /** The event at which it kills itself, before its generator goes on. */
  readonly dieAt?: string;
  /** The event after which it does nothing more, without ending. */
  readonly hangAt?: string;
  /** Whether it works on a branch of the workspace. */
  readonly isBranch?: boolean;
  /** Whether it runs among processes of its own, as in a container. Its end ends all of them. */
  readonly isContained?: boolean;
  /** The method of the store in which it kills itself. */
  readonly dieIn?: "write" | "moveTip" | "setHead" | "release";
}

/** What a host says. */
export interface HostLine {
  readonly event?: string;
  /** Where it works. */
  readonly directory?: string;
  readonly stateId?: string;
  readonly conversation?: string;
  readonly response?: string;
  readonly outcome?: string;
}

/** A host of a conversation in a process of its own. */
export interface TraceHost {
  readonly process: ChildProcess;
  /** What it has said so far. */
  readonly lines: readonly HostLine[];
  /** Resolves when it is gone, with what it said. */
  readonly ended: Promise<readonly HostLine[]>;
}

/** Starts one from the built package: `npm test` builds it first. */
export function startTraceHost(order: TraceHostOrder): TraceHost {
  const container = order.isContained ? ["unshare", "-pf", "--mount-proc", "--kill-child", "--"] : [];
  const host = [process.execPath, "test/support/trace-host.mjs", JSON.stringify(order)];
  const [command = "", ...args] = [...container, ...host];
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], SKEIN_HOME: order.home, IS_SANDBOX: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: HostLine[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line) as HostLine));
  return { process: child, lines, ended: once(child, "close").then(() => lines) };
}
