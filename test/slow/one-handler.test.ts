import { beforeAll, describe, expect, it } from "vitest";
import { handle } from "../../examples/one-handler.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { CONTRACT_CASES } from "../cli/support/contract-cases.ts";
import { keptWorkspace, type TracedWorkspace } from "../cli/support/traced-workspace.ts";

const SLOW = { timeout: 240_000 } as const;

let workspace: TracedWorkspace;

beforeAll(async () => {
  workspace = await keptWorkspace();
});

/** What the handler makes of a command, in the directory with recorded turns. */
async function next(...argv: readonly string[]): Promise<string> {
  const env = { SKEIN_HOME: workspace.home, HOME: workspace.home };
  return (await handle(argv, { cwd: workspace.cwd, env, attempts: 2, pauseMs: 0 })).next;
}

/** What it makes of many, a few at a time. */
async function nextOfEach(commands: readonly (readonly string[])[]): Promise<readonly string[]> {
  const [...waiting] = commands.entries();
  const found: string[] = [];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) found[one[0]] = await next(...one[1]);
  };
  await Promise.all([work(), work(), work()]);
  return found;
}

const CASES = COMMANDS.map(({ name }) => ({ name, words: name.split(" "), ...CONTRACT_CASES[name] }));

const NEXT: Readonly<Record<string, string>> = {
  usage: "correct the command",
  parse: "correct the command",
  state_not_found: "name another",
  session_not_found: "name another",
  command_not_found: "name another",
  tool_not_found: "name another",
};

describe("one function handles every command", () => {
  it("where it is typed wrongly", SLOW, async () => {
    const found = await nextOfEach(CASES.map(({ words }) => [...words, "--no-such-flag"]));
    expect(found).toEqual(CASES.map(() => "correct the command"));
  });

  it("where what it is about is not there, or it fails in another way", SLOW, async () => {
    const failing = CASES.filter(({ failure: [kind] = ["usage"] }) => kind !== "usage");
    const found = await nextOfEach(failing.map(({ words, failure: [, ...rest] = [""] }) => [...words, ...rest]));
    expect(failing.map(({ name }, index) => [name, found[index]])).toEqual(
      failing.map(({ name, failure: [kind] = [""] }) => [name, NEXT[kind] ?? "ask a person"]),
    );
  });

  it("where it takes too long", SLOW, async () => {
    // One after the other: each has the directory for itself.
    expect(await nextOfEach([["turn-loop", "say hello", "--offline", "direct", "--timeout", "0"]])).toEqual([
      "allow more",
    ]);
    const late = ["run", "say hello", "--no-record", "--offline", "direct", "--timeout", "0.01"];
    expect(await nextOfEach([late])).toEqual(["allow more"]);
  });

  it("after turns were recorded", SLOW, async () => {
    await workspace.turn('Bash {"command":"echo 1 > a.txt"}');
    await workspace.turn('Bash {"command":"echo 2 > a.txt"}', "--continue");
  });

  it.each(CASES.filter(({ success }) => success !== undefined))("where $name succeeds", SLOW, async (command) => {
    const { success = [], words } = command;
    const given = typeof success === "function" ? await success(workspace) : success;
    expect(await next(...words, ...given)).toBe("go on");
  });
});
