import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { onTestFinished, vi } from "vitest";
import { temporaryDirectory, type Finished, type SkeinOptions } from "./skein.ts";

/** A command whose input stays open: messages go in and come out, a line of JSON each. */
export interface OpenSkein {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything that came out so far. */
  readonly received: readonly Message[];
  send(...messages: readonly unknown[]): void;
  /** Waits for a message. */
  find(isWanted: (message: Message) => boolean): Promise<Message>;
  /** Closes the input and waits for the end. */
  end(): Promise<Omit<Finished, "stdout">>;
}

/** What tests look for in a message. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly id: unknown; readonly event: { readonly type: string; readonly tool?: string } };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Starts the built command with its input open, with a home of its own. */
export async function openSkein(args: readonly string[], options: SkeinOptions = {}): Promise<OpenSkein> {
  const home = await temporaryDirectory();
  const child = spawn(process.execPath, [resolve("dist/cli/main.js"), ...args], {
    cwd: options.cwd ?? (await temporaryDirectory()),
    env: { PATH: process.env["PATH"], HOME: home, SKEIN_HOME: join(home, "skein"), ...options.env },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill());
  const received: Message[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => received.push(JSON.parse(line) as Message));
  const ended = Promise.all([once(child, "close"), text(child.stderr)]);
  return {
    child,
    received,
    send: (...messages) => messages.forEach((message) => void child.stdin.write(`${JSON.stringify(message)}\n`)),
    find: (isWanted) =>
      vi.waitFor(
        () => {
          const found = received.find(isWanted);
          if (!found) throw new Error(`It is not among what came: ${JSON.stringify(received).slice(0, 4000)}`);
          return found;
        },
        { timeout: 30_000, interval: 20 },
      ),
    async end() {
      child.stdin.end();
      const [[code], stderr] = await ended;
      return { code: code as number | null, stderr };
    },
  };
}
