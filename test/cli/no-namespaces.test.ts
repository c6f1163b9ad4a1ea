import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { describeWith } from "../support/require-package.ts";
import { temporaryDirectory } from "./support/skein.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
  { command: "unshare", package: "util-linux" },
];

/** A machine on which nobody may make a namespace, as containers and hardened hosts are. */
const BLOCKED = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';

describeWith(PACKAGES, "where namespaces are blocked", () => {
  test("doctor says that there is no sandbox, a run says so before it starts, and fails if every call was denied", async () => {
    const doctor = await runBlocked(["doctor"]);
    expect(doctor.envelope["data"]).toMatchObject({
      checks: expect.arrayContaining([
        {
          name: "sandbox",
          status: "warn",
          detail: expect.stringMatching(/^this machine does not allow one: bwrap: /u) as string,
          fix: expect.stringContaining("allow user namespaces") as string,
        },
      ]) as unknown,
    });
    const scenario = join(await temporaryDirectory(), "scenario.json");
    const steps = [{ call: { tool: "Bash", input: { command: "node app.js" } } }, { say: "It did not work." }];
    await writeFile(scenario, JSON.stringify({ name: "blocked", rules: [{ steps }] }));
    const run = await runBlocked(["run", "Try", "--offline", scenario]);
    expect(run.stderr).toMatch(/^Bash commands need permission, because there is no sandbox: allow user namespaces/u);
    expect(run).toMatchObject({
      code: 1,
      envelope: {
        exit_code: 1,
        error: {
          kind: "config",
          target: "sandbox",
          turn: { tools: [{ tool: "Bash", calls: 1, errors: 0, denied: 1 }], files: { created: [] } },
        },
      },
    });
  });
});

async function runBlocked(args: readonly string[]): Promise<Finished> {
  const home = await temporaryDirectory();
  const command = [process.execPath, resolve("dist/cli/main.js"), ...args, "--output-format", "json"];
  const child = spawn("unshare", ["--user", "--map-root-user", "sh", "-c", BLOCKED, "sh", ...command], {
    cwd: await temporaryDirectory(),
    env: { PATH: process.env["PATH"], HOME: home, SKEIN_HOME: join(home, "skein") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((end) => child.once("close", end));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stderr, envelope: JSON.parse(stdout) as Finished["envelope"] };
}

interface Finished {
  readonly code: number | null;
  readonly stderr: string;
  readonly envelope: Readonly<Record<string, unknown>>;
}
