import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { demo } from "../../src/cli/commands/agents/demo.ts";
import { DEMO_PROMPTS } from "../../src/cli/commands/agents/demo-project.ts";
import { describeWith } from "../support/require-package.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 120_000 } as const;

it("shows a bad try, takes it back, and adopts the best of three branches", SLOW, async () => {
  const directory = join(await temporaryDirectory(), "new");
  const { code, envelope } = await runSkeinJson(["demo", "--cwd", directory]);
  const data = demo.data.parse(envelope["data"]);
  expect(code).toBe(0);
  expect(data.is_kept).toBe(true);
  expect(data.turn.files.modified).toEqual(["slug.test.mjs"]);
  expect(data.patch).toContain('-test("accents go"');
  expect(data.undone.files.modified).toEqual(["slug.test.mjs"]);
  expect(data.branches.map(({ prompt, reward }) => [prompt, reward?.parts["passed"], reward?.parts["total"]])).toEqual(
    DEMO_PROMPTS.map((prompt, index) => [prompt, index + 1, 3]),
  );
  expect(data.best).toBe(3);
  expect(data.adopted.files.modified).toEqual(["slug.mjs"]);
  expect(await readFile(join(directory, "slug.mjs"), "utf8")).toContain("normalize");
});

describeWith(TERMINAL_PACKAGES, "on a terminal", () => {
  it(
    "shows each step with its command, what the rewards mean and what to do next, and leaves nothing",
    SLOW,
    async () => {
      const cwd = await temporaryDirectory();
      const { finished } = await onTerminal(["demo"], { cwd, env: { TMPDIR: cwd, SKEIN_HOME: join(cwd, "data") } });
      const { code, screen } = await finished;
      expect(code).toBe(0);
      const shown = stripVTControlCharacters(screen);
      const landmarks = [
        '❯ skein run "Make the tests pass"',
        "✓ Write slug.test.mjs",
        "❯ skein diff @~1 @ --patch",
        '-test("accents go"',
        "❯ skein undo",
        "❯ skein explore",
        "3 running",
        "3 of 3 tests pass",
        "❯ skein adopt",
        "What next",
        "skein doctor",
      ];
      const places = landmarks.map((text) => shown.indexOf(text));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((left, right) => left - right));
      expect((await readdir(cwd)).filter((name) => name.startsWith("skein-"))).toEqual([]);
      // Folders of the data folder may stay, but nothing of the demo in them.
      const left = await readdir(join(cwd, "data"), { recursive: true, withFileTypes: true });
      expect(left.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual([]);
    },
  );
});
