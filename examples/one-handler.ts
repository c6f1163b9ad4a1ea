// One function for every command of `skein`: it runs the command, and says what to do next, whatever has come of it.
import { strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const skein = createRequire(import.meta.url)
  .resolve("skein/package.json")
  .replace("package.json", "dist/cli/main.js");

interface Failure {
  readonly kind: string;
  readonly retryable: boolean;
  readonly message: string;
}

type Envelope = { readonly data: unknown } | { readonly error: Failure };

/** Runs a command, and again where its failure may pass. It branches on the kind of a failure, never on its words. */
export async function handle(
  argv: readonly string[],
  { attempts = 3, pauseMs = 500, ...place }: { attempts?: number; pauseMs?: number; cwd?: string; env?: object } = {},
): Promise<{ readonly next: string; readonly envelope: Envelope }> {
  const env = { ...process.env, ...place.env };
  const words = [skein, ...argv, "--output-format", "json"];
  const child = spawn(process.execPath, words, { ...place, env, stdio: ["ignore", "pipe", "ignore"] });
  const envelope = JSON.parse((await text(child.stdout)).trimEnd().split("\n").at(-1) ?? "") as Envelope;
  if ("data" in envelope) return { next: "go on", envelope };
  const { kind, retryable } = envelope.error;
  if (retryable && attempts > 1) {
    await sleep(pauseMs);
    return await handle(argv, { ...place, attempts: attempts - 1, pauseMs: pauseMs * 1.5 });
  }
  if (kind === "usage" || kind === "parse") return { next: "correct the command", envelope };
  if (kind.endsWith("_not_found")) return { next: "name another", envelope };
  if (kind === "timeout" || kind === "budget") return { next: "allow more", envelope };
  return { next: "ask a person", envelope };
}

strictEqual((await handle(["schema"])).next, "go on");
strictEqual((await handle(["load-session", "nowhere"])).next, "name another");
