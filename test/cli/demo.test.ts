import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { demo } from "../../src/cli/commands/agents/demo.ts";
import { TODO_PROMPTS } from "../../src/offline/index.ts";
import { describeWith } from "../support/require-package.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";

it("builds, tests and extends an app in one conversation, and runs it", async () => {
  const directory = join(await temporaryDirectory(), "new");
  const { code, envelope } = await runSkeinJson(["demo", "--cwd", directory]);
  const data = demo.data.parse(envelope["data"]);
  expect(code).toBe(0);
  expect(data.turns.map(({ files }) => files.created.concat(files.modified))).toEqual([
    ["README.md", "package.json", "src/cli.js", "src/todo.js", "todos.json"],
    ["test/todo.test.js"],
    ["test/due-dates.test.js", "README.md", "src/cli.js", "src/todo.js"],
  ]);
  expect(new Set(data.turns.map(({ session_id: session }) => session)).size).toBe(1);
  expect(data.app.map(({ command }) => command)).toEqual([
    "node --test",
    'node src/cli.js add "Try Skein" --due 2030-01-31',
    "node src/cli.js list",
  ]);
  expect(data.app.at(-1)?.output).toBe("1. [ ] Buy milk\n2. [ ] Try Skein (due 2030-01-31)\n");
  expect((await readdir(directory)).filter((name) => name !== ".claude").toSorted()).toEqual([
    "README.md",
    "package.json",
    "src",
    "test",
    "todos.json",
  ]);
});

describeWith(TERMINAL_PACKAGES, "on a terminal", () => {
  it("shows each prompt with what the agent does, the app's own output and what to do next", async () => {
    const cwd = await temporaryDirectory();
    const { finished } = await onTerminal(["demo"], { cwd, env: { TMPDIR: cwd } });
    const { code, screen } = await finished;
    expect(code).toBe(0);
    const shown = stripVTControlCharacters(screen);
    const steps = ["Write src/cli.js", "Write test/todo.test.js", "Write test/due-dates.test.js"];
    const turns = TODO_PROMPTS.flatMap((prompt, index) => [`❯ ${prompt}`, `✓ ${steps[index]}`]);
    const landmarks = [...turns, "pass 10 · fail 0", "What next", "skein doctor"];
    const places = landmarks.map((text) => shown.indexOf(text));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(places).not.toContain(-1);
  });
});
