import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { moveLeadingFlags } from "./leading-flags.ts";
import { findOutputFormat } from "./run-command-line.ts";
import { runInProcess } from "../../test/cli/support/in-process.ts";

describe("flags before the command", () => {
  it.each([
    ["-C folder log", "log -C folder"],
    ["-Cfolder --json log --all", "log -Cfolder --json --all"],
    ["--cwd=folder offline serve", "offline serve --cwd=folder"],
    ["--output-format json -C folder show @", "show --output-format json -C folder @"],
    ["log -C folder", "log -C folder"],
    ["-C folder", ""],
    ["-C", ""],
    ["-j --help", "--help"],
    ["-C folder nothing", "nothing"],
    ["--model sonnet run go", "--model sonnet run go"],
  ])("%s is read as %s", (typed, read) => {
    expect(moveLeadingFlags(typed.split(" "), COMMANDS).join(" ")).toBe(read);
  });
});

it.each([
  ["log --json", "json"],
  ["log -j", "json"],
  ["run go -cj", "json"],
  ["-j --bogus", "json"],
  ["log --json --output-format text", "text"],
  ["log --output-format text -j", "json"],
  ["run -- -j", "text"],
  ["run go -C json", "text"],
] as const)("the output format of %s is %s", (typed, format) => {
  expect(findOutputFormat(typed.split(" "))).toBe(format);
});

it("--json answers in JSON, what cannot be parsed too", async () => {
  const wrong = await runInProcess(["log", "--json", "--bogus"]);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ command: "log", exit_code: 1, error: { target: "--bogus" } });
  const first = await runInProcess(["-j"]);
  expect(JSON.parse(first.stdout)).toMatchObject({ data: { help: expect.stringContaining("skein demo") } });
});

describe("a word that is no command or flag here", () => {
  it.each([
    ["logg", "Did you mean log?"],
    ["history", "Did you mean skein log?"],
    ["checkout", "Did you mean skein restore?"],
    ["xyzzy", "See skein --help"],
    ["log --directory x", "Did you mean --cwd?"],
    ["log --limt 3", "Did you mean --limit?"],
    ["explore --timeout-seconds 3", "Did you mean --timeout?"],
  ])("%s gets the right one: %s", async (typed, hint) => {
    const { code, stdout } = await runInProcess([...typed.split(" "), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { kind: "usage", hint } });
    expect(code).toBe(1);
  });
});

it("no two flags of a command have the same letter, and a letter means the same everywhere", async () => {
  const { flagsOf } = await import("../protocol/index.ts");
  const letters = new Map<string, Set<string>>();
  for (const command of COMMANDS) {
    const shorts = flagsOf(command).flatMap(({ short, name }) => (short === undefined ? [] : [[short, name] as const]));
    expect(new Set(shorts.map(([short]) => short)).size).toBe(shorts.length);
    for (const [short, name] of shorts) letters.set(short, (letters.get(short) ?? new Set()).add(name));
  }
  expect(Object.fromEntries([...letters].map(([short, names]) => [short, [...names]]))).toEqual({
    "-C": ["--cwd"],
    "-c": ["--continue"],
    "-m": ["--model"],
    "-n": ["--limit", "--n"],
  });
});
