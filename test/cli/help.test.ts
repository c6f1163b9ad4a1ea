import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runSkein, runSkeinJson } from "./support/skein.ts";

const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };

const HELP = `Usage: skein [options] [command]

Run coding agents the way you run experiments, with the Claude Code CLI.

Options:
  -V, --version           Print the version
  -h, --help              Show help

To begin:
  init                    Set up a folder: settings, trust, sandbox
  demo                    Watch a run, its diff, an undo, and three branches, without a key
  doctor                  Check what Skein needs on this machine

Every day:
  run <prompt>            Run an agent on a prompt and record the turn
  status                  Show head, changes, running turns, today's cost
  log                     List the recorded turns, newest first
  show <state>            Show everything about a state
  diff <from>             Compare two states, or one with the files now
  undo                    Take back the last turn: files, git and session
  checkpoint <name>       Name the current files, or a state
  restore <state>         Put the files back to a state
  branch <state>          Make a working copy of a state elsewhere
  recover                 Show what was cut off; keep it or undo it

Several ways at once:
  explore                 Try prompts on branches and find the best
  team                    Have a manager plan a goal and workers do it, item by item
  tree                    Draw the tree of states with their rewards
  compare <left> <right>  Put two states side by side
  adopt <state>           Bring a branch's state and conversation here

Sessions:
  sessions                List Claude Code sessions with tokens and cost
  session <id>            Show a session, or write it as a page
  search <words>          Search the text of all sessions
  index                   Index the text of all sessions for search
  stats                   Total up tokens and cost across sessions
  watch                   Follow sessions as they are written
  archive                 Keep copies of transcripts before they are deleted
  serve                   Serve what is recorded and what happens now

Settings and records:
  trust                   Trust a folder's settings to run programs
  config                  Show what is configured, and where each value comes from
  alerts test             Try the alerts of skein serve
  push <remote>           Send all states to a git remote
  pull <remote>           Fetch all states from a git remote
  save <id> <file>        Save a conversation to one file
  load <file>             Load a conversation from a file
  verify                  Check that every state is present and intact
  gc                      Free the space of conversations long unused
  reindex                 Rebuild the index of states from the store
  relink                  Reattach the record of a directory that moved
  completion <shell>      Print the completion script of a shell
  man                     Print the manual page
  help                    Show help for a command; --all lists every one

For programs: rpc, mcp, schema, offline serve and 26 more; skein help --all lists them.
`;

const FIRST = `Skein runs coding agents as experiments. To begin:
  skein demo                        see it work, without a key
  skein init                        set up this folder
  skein run "Fix the failing test"  run an agent and record the turn
  skein status                      what changed, what runs, what it cost
  skein diff @~1                    what the last turn did
  skein undo                        take it back
  skein run "…" --continue          go on where it ended
  skein explore --prompt "…" --n 3  try several ways at once, keep the best
  skein help                        all commands; skein help run has the flags of one
`;

describe("help", () => {
  it("is shown by --help; the command alone says in ten lines what to do first", async () => {
    const [help, called, alone] = await Promise.all([runSkein(["--help"]), runSkein(["help"]), runSkein([])]);
    const shown = { code: 0, stdout: HELP, stderr: "" };
    expect([help, called, alone]).toEqual([shown, shown, { ...shown, stdout: FIRST }]);
  });

  it("is one envelope in JSON, however it is asked for", async () => {
    const called = await Promise.all([runSkein(["help", "--json"]), runSkein(["--help", "--output-format", "json"])]);
    for (const { code, stdout } of called) {
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { data: { help: expect.stringContaining("To begin:") } }]);
    }
  });

  it("has every command with --all, those for programs last", async () => {
    const [all, flagged] = await Promise.all([runSkein(["help", "--all"]), runSkein(["--help", "--all"])]);
    expect(all).toEqual(flagged);
    const headings = all.stdout.split("\n").filter((line) => /^\w.*:$/u.test(line));
    expect(headings).toEqual([
      "Options:",
      "To begin:",
      "Every day:",
      "Several ways at once:",
      "Sessions:",
      "Settings and records:",
      "For programs:",
      "Reports:",
      "Other machines:",
      "Protocols:",
    ]);
    for (const { name } of COMMANDS) expect(all.stdout).toContain(`\n  ${name}`);
  });

  it("of a command has its arguments, flags, defaults and examples", async () => {
    const [asked, flagged] = await Promise.all([runSkein(["help", "run"]), runSkein(["run", "--help"])]);
    expect(asked).toEqual(flagged);
    expect(asked.code).toBe(0);
    for (const text of [
      "skein run [options] <prompt>",
      "--no-record",
      "--import <session>",
      "-C, --cwd <directory>",
      "-c, --continue",
      "-m, --model <model>",
      "-j, --json",
      "--offline [scenario]",
      '"acceptEdits"',
      "Examples:",
    ]) {
      expect(asked.stdout).toContain(text);
    }
  });

  it("is an envelope in JSON mode, and so is the version", async () => {
    const [help, number] = await Promise.all([runSkeinJson(["doctor", "--help"]), runSkeinJson(["--version"])]);
    const head = { exit_code: 0, output_format: "json", schema_version: "2.0" };
    expect(help.envelope).toMatchObject({
      command: "doctor",
      ...head,
      data: { help: expect.stringContaining("Usage:") },
    });
    expect(number.envelope).toEqual({ command: "skein", ...head, data: { version } });
  });

  it("gives the version", async () => {
    expect(await runSkein(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});
