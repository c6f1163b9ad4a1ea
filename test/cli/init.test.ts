import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hasOnlyGained, init } from "../../src/cli/commands/setup/init.ts";
import { inspectFolder } from "../../src/engine/internal.ts";
import { describeWith } from "../support/require-package.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

describe("skein init", () => {
  it("writes the settings with a schema that an editor finds, once", async () => {
    const cwd = await realpath(await temporaryDirectory());
    const path = join(cwd, "skein.config.json");
    const env = { HOME: await temporaryDirectory() };
    const first = await runSkeinJson(["init"], { cwd, env });
    const written = { cwd, config: { path, action: "written" }, trust: "trusted" };
    expect(init.data.parse(first.envelope["data"])).toMatchObject(written);
    const { $schema } = JSON.parse(await readFile(path, "utf8")) as { readonly $schema: string };
    expect(JSON.parse(await readFile(fileURLToPath($schema), "utf8"))).toMatchObject({ type: "object" });
    expect(await runSkeinJson(["config", "--check"], { cwd, env })).toMatchObject({ code: 0 });

    await writeFile(path, '{ "model": "mine" }\n');
    const again = await runSkeinJson(["init"], { cwd, env });
    expect(again.envelope).toMatchObject({ data: { config: { action: "kept" }, trust: "untrusted" } });
    expect(await readFile(path, "utf8")).toBe('{ "model": "mine" }\n');
  });

  it("names the schema by its place below node_modules where the package is installed", async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, "node_modules/skein"), { recursive: true });
    await mkdir(join(cwd, "packages/app"), { recursive: true });
    await writeFile(join(cwd, "node_modules/skein/skein.config.schema.json"), "{}");
    await Promise.all([runSkein(["init"], { cwd }), runSkein(["init", "--cwd", "packages/app"], { cwd })]);
    const written = ["", "packages/app"].map((folder) => readFile(join(cwd, folder, "skein.config.json"), "utf8"));
    expect((await Promise.all(written)).map((text) => JSON.parse(text) as unknown)).toEqual([
      { $schema: "./node_modules/skein/skein.config.schema.json" },
      { $schema: "../../node_modules/skein/skein.config.schema.json" },
    ]);
  });

  it("trusts the folder's settings only when it is told to, and says what to try next", async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, ".claude"));
    const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command: "make" }] }] } };
    await writeFile(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
    const env = { HOME: await temporaryDirectory() };
    const data = async (...args: readonly string[]): Promise<unknown> =>
      (await runSkeinJson(["init", ...args], { cwd, env })).envelope["data"];
    expect(await data()).toMatchObject({ trust: "untrusted", next: expect.arrayContaining(["skein trust --show"]) });
    expect(await data("--trust")).toMatchObject({ trust: "trusted" });
    expect(await data()).toMatchObject({ trust: "trusted" });
  });
});

it("what was trusted before skein init is what the folder has beside the file that it writes", async () => {
  const cwd = await realpath(await temporaryDirectory());
  const inspect = (): ReturnType<typeof inspectFolder> => inspectFolder(cwd, { env: {} });
  const before = await inspect();
  const text = "{}";
  const written = createHash("sha256").update(text).digest("hex");
  await writeFile(join(cwd, "skein.config.json"), text);
  expect(hasOnlyGained(before, await inspect(), written)).toBe(true);
  await writeFile(join(cwd, "skein.config.json"), '{ "plugins": [] }');
  expect(hasOnlyGained(before, await inspect(), written)).toBe(false);
  await writeFile(join(cwd, "skein.config.json"), text);
  await writeFile(join(cwd, ".mcp.json"), "{}");
  expect(hasOnlyGained(before, await inspect(), written)).toBe(false);
});

describe("a missing --cwd", () => {
  it("is made with --create, and otherwise the hint names that", async () => {
    const cwd = await realpath(await temporaryDirectory());
    const missing = join(cwd, "new/project");
    const run = (...args: readonly string[]): ReturnType<typeof runSkeinJson> =>
      runSkeinJson(["run", "go", "--offline", "no-such.json", "--cwd", missing, ...args], { cwd });
    const refused = { kind: "filesystem", target: missing, hint: "Add --create to make it, or name another." };
    expect((await run()).envelope).toMatchObject({ error: refused });
    expect(await readdir(cwd)).toEqual([]);
    await run("--create");
    expect(await readdir(missing)).toEqual([]);
    await writeFile(join(cwd, "file"), "");
    const below = await runSkeinJson(["run", "go", "--create", "--cwd", join(cwd, "file/below")], { cwd });
    expect(below.envelope).toMatchObject({ error: { kind: "filesystem" } });
  });

  describeWith(TERMINAL_PACKAGES, "on a terminal", () => {
    it("is asked about, and not made for a no", async () => {
      const cwd = await realpath(await temporaryDirectory());
      const terminal = await onTerminal(["run", "go", "--cwd", "missing"], { cwd });
      await terminal.shown("Make it?");
      terminal.press("n");
      expect((await terminal.finished).code).toBe(1);
      expect(await readdir(cwd)).toEqual([]);
    });
  });
});
