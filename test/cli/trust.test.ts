import { appendFile, mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { CommandContext } from "../../src/cli/define-command.ts";
import { requireTrust } from "../../src/cli/require-trust.ts";
import { describeWith } from "../support/require-package.ts";
import { hostileFolder } from "./support/hostile-folder.ts";
import { onTerminal, TERMINAL_PACKAGES } from "./support/pseudo-terminal.ts";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 120_000 } as const;

it("nothing of a folder is executed before a person trusts it, and all that was shown is after", SLOW, async () => {
  const folder = await hostileFolder();
  const env = { SKEIN_HOME: await temporaryDirectory() };
  const skein = (...args: readonly string[]) => runSkeinJson(args, { cwd: folder.cwd, env });

  const refused = { error: { kind: "untrusted_folder", target: folder.cwd, retryable: false } };
  expect((await skein("tools")).envelope).toMatchObject(refused);
  expect((await skein("exec-tool", "Bash", '{"command":"true"}')).envelope).toMatchObject(refused);
  expect((await skein("run", 'Bash {"command":"git status"}', "--offline", "direct")).code).toBe(0);
  expect(await folder.executed()).toEqual([]);

  const { envelope: shown } = await skein("trust", "--show");
  expect(shown).toMatchObject({ data: { action: "shown", folder: folder.cwd, is_trusted: false } });
  const { executes } = shown["data"] as { readonly executes: { readonly file: string; readonly what: string }[] };
  const whats = executes.filter(({ file }) => file.startsWith(`${folder.cwd}/`)).map(({ what }) => what);
  for (const what of [
    "apiKeyHelper",
    "hooks SessionStart",
    "statusLine command",
    "env BASH_ENV",
    "mcpServers folder",
  ]) {
    expect(whats).toContain(what);
  }

  expect((await skein("tools", "--trust")).code).toBe(0);
  // This is what got through before.
  expect(await folder.executed()).toEqual(["above-server", "folder-apiKeyHelper", "folder-server"]);
  expect((await skein("trust", "--list")).envelope).toMatchObject({
    data: { folders: [{ folder: folder.cwd, is_changed: false }] },
  });

  await folder.forget();
  await appendFile(join(folder.cwd, "server.sh"), "# another program now\n");
  expect((await skein("tools")).envelope).toMatchObject(refused);
  expect((await skein("trust", "--list")).envelope).toMatchObject({ data: { folders: [{ is_changed: true }] } });
  expect((await skein("trust")).envelope).toMatchObject({ data: { action: "trusted", is_trusted: true } });
  expect((await skein("trust", "--revoke")).envelope).toMatchObject({ data: { action: "revoked" } });
  expect((await skein("tools")).envelope).toMatchObject(refused);
  expect((await runSkeinJson(["tools", "--cwd", "."], { cwd: folder.below, env })).envelope).toMatchObject({
    error: { kind: "untrusted_folder", target: folder.below },
  });
  expect(await folder.executed()).toEqual([]);
});

it("a folder that changes while it is loaded is not trusted", SLOW, async () => {
  const cwd = await realpath(await temporaryDirectory());
  vi.stubEnv("SKEIN_HOME", await temporaryDirectory());
  onTestFinished(() => void vi.unstubAllEnvs());
  await writeFile(join(cwd, ".mcp.json"), "{}");
  const context = { env: process.env, format: "json", terminal: { canAsk: false } } as unknown as CommandContext;
  await expect(requireTrust(cwd, { trust: false, context })).rejects.toMatchObject({ kind: "untrusted_folder" });
  const settings = await requireTrust(cwd, { trust: true, context });
  await settings.verify();
  await writeFile(join(cwd, ".mcp.json"), '{"mcpServers":{}}');
  await expect(settings.verify()).rejects.toMatchObject({ kind: "untrusted_folder", target: cwd });
  await expect(requireTrust(cwd, { trust: false, context })).rejects.toMatchObject({ kind: "untrusted_folder" });
});

describeWith(TERMINAL_PACKAGES, "on a terminal", () => {
  it(
    "the question shows what would be executed, whole and without its escapes, and no is the answer by default",
    SLOW,
    async () => {
      const cwd = await temporaryDirectory();
      const hidden = `true\u001b[1A\u001b[2K\ntouch ${join(cwd, "ran")} ${"x".repeat(300)}END`;
      await mkdir(join(cwd, ".claude"));
      await writeFile(join(cwd, ".claude/settings.json"), JSON.stringify({ apiKeyHelper: hidden }));
      const { press, shown, finished } = await onTerminal(["tools"], { cwd });
      await shown("Trust ");
      press("\r");
      const { code, screen } = await finished;
      expect(code).toBe(1);
      expect(screen).toContain(`touch ${join(cwd, "ran")}`);
      expect(screen).toContain("xEND");
      expect(screen).not.toContain("\u001b[1A\u001b[2K\ntouch");
      expect(screen).toContain("can run programs");
    },
  );
});
