import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demo } from "../../src/cli/commands/demo.ts";
import { TODO_PROMPTS } from "../../src/offline/index.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

it("builds, tests and extends an app in one conversation, and runs it", async () => {
  const directory = join(await temporaryDirectory(), "new");
  const { code, envelope } = await runSkeinJson(["demo", "--directory", directory]);
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

it("shows each prompt, the app's own output and what to do next", async () => {
  const { code, stdout } = await runSkein(["demo"], { env: { TMPDIR: await temporaryDirectory() } });
  expect(code).toBe(0);
  const landmarks = [...TODO_PROMPTS.map((prompt) => `❯ ${prompt}\n`), "pass 10 · fail 0", "What next", "skein doctor"];
  const places = landmarks.map((text) => stdout.indexOf(text));
  expect(places).toEqual(places.toSorted((left, right) => left - right));
  expect(places).not.toContain(-1);
});
