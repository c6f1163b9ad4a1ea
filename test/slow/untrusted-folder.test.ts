import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { CONTRACT_CASES } from "../cli/support/contract-cases.ts";
import { hostileFolder, type HostileFolder } from "../cli/support/hostile-folder.ts";
import { runSkeinJson } from "../cli/support/skein.ts";
import type { TracedWorkspace } from "../cli/support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;

/** Those that cannot do without the folder's settings. */
const NEEDS_TRUST = [
  "commands",
  "show-command",
  "exec-command",
  "tools",
  "show-tool",
  "exec-tool",
  "route",
  "tool-pool",
  "command-graph",
  "summary",
];

let folder: HostileFolder;
let home: string;

beforeAll(async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));
  folder = await hostileFolder(root);
  home = join(root, "home");
});

const skein = (...args: readonly string[]) =>
  runSkeinJson(args, { cwd: folder.cwd, env: { SKEIN_HOME: home, HOME: home } });

async function data<Data>(...args: readonly string[]): Promise<Data> {
  return (await skein(...args)).envelope["data"] as Data;
}

it("turns can be recorded in a folder that nobody trusts", SLOW, async () => {
  for (const more of [[], ["--continue"]]) {
    const { code } = await skein(
      "run",
      'Bash {"command":"git status; echo 1 >> a.txt"}',
      "--offline",
      "direct",
      ...more,
    );
    expect(code).toBe(0);
  }
  expect(await folder.executed()).toEqual([]);
});

// `trust` comes last: it is the one that changes what may be run.
const TRIED = COMMANDS.filter(({ name }) => CONTRACT_CASES[name]?.success !== undefined && name !== "trust");

it.each(TRIED.map(({ name }) => name))(
  "skein %s executes nothing of a folder that nobody trusts",
  SLOW,
  async (name) => {
    const success = CONTRACT_CASES[name]?.success ?? [];
    const place = { cwd: folder.cwd, home, data } as unknown as TracedWorkspace;
    const words = typeof success === "function" ? await success(place) : success;
    const args = [...name.split(" "), ...words];
    // These two speak a protocol, and have no envelope alone on their output.
    if (name === "rpc" || name === "mcp") return;
    const { envelope } = await skein(...args);
    expect((envelope["error"] as { readonly kind?: string } | undefined)?.kind).toBe(
      NEEDS_TRUST.includes(name) ? "untrusted_folder" : undefined,
    );
    expect(await folder.executed()).toEqual([]);
  },
);

it("what was planted does run once the folder is trusted", SLOW, async () => {
  expect((await skein("exec-command", "folder", "--offline", "direct", "--trust")).envelope).toHaveProperty("data");
  expect(await folder.executed()).toEqual(
    expect.arrayContaining(["above-server", "folder-apiKeyHelper", "folder-hook-SessionStart", "folder-server"]),
  );
});
