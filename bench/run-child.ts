import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ChildReport } from "./transcript-child.ts";

/** Runs a script of this folder in a process of its own, and gives the JSON that it prints. */
export async function runChild<Report = ChildReport>(
  name: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Report> {
  const script = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const flags = ["--disable-warning=ExperimentalWarning", script, ...args];
  return JSON.parse(await runProgram(process.execPath, flags, environment)) as Report;
}

/** Runs a program and gives what it prints. */
export async function runProgram(
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const child = spawn(command, args, { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`);
  return Buffer.concat(chunks).toString("utf8");
}
