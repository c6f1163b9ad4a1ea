import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { runSkein, runSkeinJson, temporaryDirectory, type Finished } from "./skein.ts";

/** A directory whose turns are recorded in a home of its own, and the commands on it. */
export interface TracedWorkspace {
  readonly cwd: string;
  readonly home: string;
  /** Runs a command in the directory. */
  skein(...args: readonly string[]): Promise<Finished>;
  /** Runs a command that has to succeed, and gives its data. */
  data<Data = Record<string, unknown>>(...args: readonly string[]): Promise<Data>;
  /** Runs a command that has to fail, and gives its error. */
  error(...args: readonly string[]): Promise<Record<string, unknown>>;
  /** Runs a turn of the scenario `direct`, and gives its data. */
  turn(prompt: string, ...flags: readonly string[]): Promise<TurnIds>;
}

/** What tests need of a turn. */
export interface TurnIds {
  readonly state_id: string;
  readonly transition_id: string;
  readonly conversation_id: string;
  readonly session_id: string;
  readonly files: { readonly created: string[]; readonly modified: string[]; readonly deleted: string[] };
}

/** Makes such a directory, called `app`; with a home, another one that is kept in it. */
export async function tracedWorkspace(options: { readonly home?: string } = {}): Promise<TracedWorkspace> {
  return await openTraced(await temporaryDirectory(), options.home ?? (await temporaryDirectory()));
}

/** Makes one that is there for all tests of a file. */
export async function keptWorkspace(): Promise<TracedWorkspace> {
  const root = await mkdtemp(join(tmpdir(), "skein-test-"));
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));
  return await openTraced(root, join(root, "home"));
}

async function openTraced(root: string, home: string): Promise<TracedWorkspace> {
  const cwd = join(await realpath(root), "app");
  await mkdir(cwd);
  return commandsIn(cwd, home);
}

/** The commands on a directory that is there already. */
export function commandsIn(cwd: string, home: string): TracedWorkspace {
  const place = { cwd, env: { SKEIN_HOME: home } };
  const data = async <Data>(...args: readonly string[]): Promise<Data> => {
    const { code, envelope, stderr } = await runSkeinJson(args, place);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${JSON.stringify(envelope["error"])} ${stderr}`);
    return envelope["data"] as Data;
  };
  return {
    cwd,
    home,
    skein: (...args) => runSkein(args, place),
    data,
    async error(...args) {
      const { code, envelope } = await runSkeinJson(args, place);
      if (code === 0) throw new Error(`${args.join(" ")} did not fail`);
      return envelope["error"] as Record<string, unknown>;
    },
    turn: (prompt, ...flags) => data("run", prompt, "--offline", "direct", "--allowed-tools", "Bash", ...flags),
  };
}

/** The prompt that makes the scenario `direct` write a file. */
export function write(name: string, content: string): string {
  return `Write ${JSON.stringify({ file_path: `{{cwd}}/${name}`, content })}`;
}
