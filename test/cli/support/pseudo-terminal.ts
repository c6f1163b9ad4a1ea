import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "./skein.ts";

/** A command on a terminal of its own. */
export interface OnTerminal {
  /** Resolves when the terminal has shown the text, from where the last wait ended. */
  shown(text: string): Promise<void>;
  /** Presses keys. */
  press(keys: string): void;
  readonly finished: Promise<{ readonly code: number; readonly screen: string }>;
}

const SCRIPT = { command: "script", package: "bsdutils" } as const;

/** What has to be there for terminals: `script` as util-linux has it, of which `setpriv` is the witness. */
export const TERMINAL_PACKAGES = [SCRIPT, { command: "setpriv", package: "util-linux" }] as const;

/** Runs the built command on a pseudo-terminal, by util-linux's `script`. */
export async function onTerminal(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<OnTerminal> {
  const home = await temporaryDirectory();
  const words = [process.execPath, resolve("dist/cli/main.js"), ...args].map((word) => `'${word}'`);
  const child = spawn(SCRIPT.command, ["-qec", `stty cols 100 rows 40; ${words.join(" ")}`, "/dev/null"], {
    cwd: options.cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      SKEIN_HOME: join(home, "skein"),
      TERM: "xterm",
      SHELL: "/bin/sh",
      ...options.env,
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  // The terminal goes with it, and so does what runs there.
  onTestFinished(() => void child.kill());
  let screen = "";
  let waitedTo = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));

  const shown = (text: string): Promise<void> =>
    vi.waitFor(
      () => {
        const place = screen.indexOf(text, waitedTo);
        if (place === -1) throw new Error(`It has not shown ${text}; it has shown: ${screen}`);
        waitedTo = place + text.length;
      },
      { timeout: 20_000, interval: 20 },
    );
  const finished = once(child, "close").then(([code]) => ({ code: code as number, screen }));
  return { shown, press: (keys) => void child.stdin.write(keys), finished };
}
