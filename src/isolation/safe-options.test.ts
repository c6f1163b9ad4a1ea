import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWith } from "../../test/support/require-package.ts";
import { safeOptions } from "./safe-options.ts";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "skein-safe-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const BUBBLEWRAP = { command: "bwrap", package: "bubblewrap" };
const SOCAT = { command: "socat", package: "socat" };

describeWith([BUBBLEWRAP, SOCAT], "safeOptions, with a sandbox", () => {
  it("lets an agent edit below its directory and run commands without network", async () => {
    const { hooks, settings, ...options } = await safeOptions({ cwd, hostEnv: { PATH: process.env["PATH"] } });
    expect(options).toMatchObject({
      cwd,
      permissionMode: "acceptEdits",
      disallowedTools: ["AskUserQuestion"],
      sandbox: {
        enabled: true,
        failIfUnavailable: true,
        autoAllowBashIfSandboxed: true,
        network: { allowedDomains: [], allowLocalBinding: false },
      },
    });
    expect(hooks?.PreToolUse).not.toEqual([]);
    expect(settings).toBeDefined();
  });

  it("takes options, which replace defaults and add to what is refused", async () => {
    const given = { permissionMode: "plan", model: "claude-sonnet-5-5", disallowedTools: ["WebSearch"] } as const;
    const options = await safeOptions({ cwd, options: { ...given, disallowedTools: [...given.disallowedTools] } });
    expect(options).toMatchObject({
      permissionMode: "plan",
      model: "claude-sonnet-5-5",
      disallowedTools: ["AskUserQuestion", "WebSearch"],
      sandbox: { autoAllowBashIfSandboxed: false },
    });
  });
});

it.runIf(process.platform === "linux")(
  "leaves the sandbox out where the machine has none, so that commands need permission",
  async () => {
    const options = await safeOptions({ cwd, hostEnv: { PATH: cwd } });
    expect(options.sandbox).toBeUndefined();
    expect(options.permissionMode).toBe("acceptEdits");
  },
);

it("refuses a mode that asks for no permission", async () => {
  const refused = safeOptions({ cwd, options: { permissionMode: "bypassPermissions" } });
  await expect(refused).rejects.toMatchObject({ kind: "usage", target: "options.permissionMode" });
});
