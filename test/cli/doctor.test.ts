import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { doctor } from "../../src/cli/commands/reports/reports.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

const NAMES = [
  "node",
  "git",
  "claude-cli",
  "credentials",
  "endpoint",
  "sandbox",
  "memory-limit",
  "data-folder",
  "workspaces",
  "disk",
  "processes",
];

describe("doctor", () => {
  it("tells what the machine has, credentials by kind and never by value", async () => {
    const { code, envelope } = await runSkeinJson(["doctor"], { env: { ANTHROPIC_API_KEY: "sk-ant-secret" } });
    const { checks } = doctor.data.parse(envelope["data"]);
    expect(code).toBe(0);
    expect(envelope).toMatchObject({ command: "doctor", exit_code: 0, output_format: "json", schema_version: "2.0" });
    expect(checks.map(({ name }) => name)).toEqual(NAMES);
    expect(checks.slice(0, 4)).toEqual([
      { name: "node", status: "ok", detail: process.versions.node },
      { name: "git", status: "ok", detail: expect.stringMatching(/^\d+\.\d+/u) as string },
      { name: "claude-cli", status: "ok", detail: expect.stringMatching(/^\d+\.\d+\.\d+ at /u) as string },
      { name: "credentials", status: "ok", detail: "api-key" },
    ]);
    expect(checks.find(({ name }) => name === "endpoint")).toMatchObject({ status: "unchecked" });
    expect(JSON.stringify(envelope)).not.toContain("sk-ant-secret");
  });

  it("only warns where there are no credentials", async () => {
    const { code, stdout } = await runSkein(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toContain("  ! credentials   none\n    → Set ANTHROPIC_API_KEY, or log in once");
    expect(stdout).toContain("  - endpoint      https://api.anthropic.com: not asked\n");
    expect(stdout).toMatch(/\n\n {2}- {2}was not tried\n$/u);
  });

  it("fails where something is missing, and still lists every check", async () => {
    const home = join(await temporaryDirectory(), "file");
    await writeFile(home, "");
    const { code, envelope } = await runSkeinJson(["doctor"], { env: { SKEIN_HOME: join(home, "skein"), PATH: home } });
    expect(code).toBe(1);
    expect(envelope).toMatchObject({
      command: "doctor",
      exit_code: 1,
      error: {
        kind: "config",
        operation: "doctor",
        target: null,
        retryable: false,
        message: "Not ready: git, data-folder",
        hint: "Install git 2.39 or newer. Make it writable, or set SKEIN_HOME to a writable folder.",
        checks: NAMES.map((name) => ({ name })),
      },
    });
  });
});
