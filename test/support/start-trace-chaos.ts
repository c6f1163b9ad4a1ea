import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What a worker of a trace is told. */
export interface ChaosOrder {
  readonly directory: string;
  readonly home: string;
  readonly seed: number;
  /** Without end unless given. */
  readonly rounds?: number;
  /** States to go back to. */
  readonly known?: readonly string[];
}

/** A state that a worker has told of: this file has this content in it. */
export interface ToldState {
  readonly stateId: string;
  readonly file: string;
  readonly content: string;
}

/** A worker in a process of its own. */
export interface ChaosWorker {
  readonly process: ChildProcess;
  readonly told: readonly ToldState[];
  /** What went wrong in it. */
  readonly errors: readonly string[];
  /** Resolves when it has opened the workspace. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

/** Starts one from the built package. */
export function startTraceChaos(order: ChaosOrder): ChaosWorker {
  const child = spawn(process.execPath, ["test/support/trace-chaos.mjs", JSON.stringify(order)], {
    env: { PATH: process.env["PATH"], SKEIN_HOME: order.home, IS_SANDBOX: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: ToldState[] = [];
  const errors: string[] = [];
  const lines = createInterface(child.stdout);
  const ended = once(child, "close").then(() => undefined);
  const ready = Promise.race([once(lines, "line").then(() => undefined), ended]);
  lines.on("line", (text) => {
    const line = JSON.parse(text) as Partial<ToldState> & { readonly error?: string };
    if (line.error !== undefined) errors.push(line.error);
    if (line.stateId !== undefined) told.push(line as ToldState);
  });
  return { process: child, told, errors, ready, ended };
}
