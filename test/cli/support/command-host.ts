import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What is run, and where. */
export interface HostedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
}

/** What it left behind. */
export interface HostedEnding {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const HOST = fileURLToPath(new URL("command-host.mjs", import.meta.url));

/** Processes with every module loaded that nobody uses at present. */
const idle = new Set<ChildProcess>();

/**
 * Runs a command line in a process that is kept for the next one: starting one and loading its modules costs ten times what most commands
 * do. Commands that run at the same time still run in processes of their own.
 */
export async function runHosted(command: HostedCommand): Promise<HostedEnding> {
  const host = idle.values().next().value ?? startHost();
  idle.delete(host);
  const ending = await exchange(host, command);
  idle.add(host);
  return ending;
}

function startHost(): ChildProcess {
  const host = fork(HOST, {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // It goes when this process does, and holds up nothing.
  host.unref();
  host.channel?.unref();
  return host;
}

function exchange(host: ChildProcess, command: HostedCommand): Promise<HostedEnding> {
  return new Promise((done, fail) => {
    let words = "";
    const hear = (chunk: Buffer): void => void (words += chunk.toString("utf8"));
    const end = (code: number | null, signal: string | null): void =>
      fail(new Error(`The process ended by ${code ?? signal} while it ran ${command.argv.join(" ")}: ${words}`));
    host.stderr?.on("data", hear);
    host.once("exit", end);
    host.once("message", (ending) => {
      host.off("exit", end);
      host.stderr?.off("data", hear);
      done(ending as HostedEnding);
    });
    host.send(command);
  });
}
