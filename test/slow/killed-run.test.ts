import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createId } from "../../src/core/internal.ts";
import { describeWith } from "../support/require-package.ts";
import { killGuardians } from "../cli/support/kill-guardians.ts";
import { expectNoProcessWith } from "../cli/support/marked-processes.ts";
import { endlessBash, scenarioFile } from "../cli/support/scenario-file.ts";
import { spawnSkein, startSkein, temporaryDirectory } from "../cli/support/skein.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

/** A workspace whose agents have a login and a folder for temporary files of their own. */
interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

describeWith(PACKAGES, "a resumed run that is killed during a sandboxed command", () => {
  test("leaves nothing once its guardian has cleared away: no process, no token, no file of the sandbox", async () => {
    const place = await startPlace();
    const mark = await hangInTurn(place);
    await vi.waitFor(async () => expect(await readdir(join(place.env["SKEIN_HOME"] ?? "", "processes"))).toEqual([]), {
      timeout: 20_000,
    });
    expect(await leftIn(place)).toEqual({ workspace: [".bashrc", ".profile", "a.txt", "log.txt"], temporary: [] });
    await expectNoProcessWith(mark);
  });

  test("leaves nothing once the next command has begun, where its guardian was killed as well", async () => {
    const place = await startPlace();
    const mark = await hangInTurn(place, { withGuardian: true });
    const log = join(place.cwd, "log.txt");
    const before = (await stat(log)).size;
    await vi.waitFor(async () => expect((await stat(log)).size).toBeGreaterThan(before), { timeout: 10_000 });
    expect(await leftIn(place)).toEqual({
      workspace: expect.arrayContaining([".gitmodules", ".mcp.json", ".vscode", "config.lock"]) as string[],
      temporary: [expect.stringMatching(/^claude-resume-/u) as string],
    });

    const { code, stdout, stderr } = await spawnSkein(["recover", "--undo"], place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("log.txt");
    await expectNoProcessWith(mark);
    expect(await leftIn(place)).toEqual({ workspace: [".bashrc", ".profile", "a.txt"], temporary: [] });
    // An agent that still ran would write within this time.
    await pause(300);
    expect(await readdir(place.cwd)).not.toContain("log.txt");
    expect(await readdir(join(place.env["SKEIN_HOME"] ?? "", "processes"))).toEqual([]);
    const { stdout: shown } = await spawnSkein(["show", "@", "--output-format", "json"], place);
    expect(shown).not.toContain(".gitmodules");
  });
});

test("an exploration that is killed is cleared away by whatever command comes next, which says what it kept", async () => {
  const root = await realpath(await temporaryDirectory());
  const place = { cwd: join(root, "app"), env: { HOME: root, SKEIN_HOME: join(root, "skein") } };
  await mkdir(place.cwd);
  await writeFile(join(place.cwd, "a.txt"), "a\n");
  const mark = createId();
  const scenario = await scenarioFile([
    { call: { tool: "Write", input: { file_path: "{{cwd}}/half.txt", content: "half\n" } } },
    endlessBash(mark),
  ]);
  const flags = ["--offline", scenario, "--allowed-tools", "Bash", "--output-format", "stream-json"];
  const { child, finished } = await startSkein(["explore", "--prompt", "Try it", ...flags], place);
  const { home } = await vi.waitFor(() => storeIn(place.env.SKEIN_HOME), { timeout: 20_000 });
  const journals = async (): Promise<string> => {
    const names = await readdir(join(home, "journals"));
    return (await Promise.all(names.map((name) => readFile(join(home, "journals", name), "utf8")))).join("");
  };
  // The second call is written down when it begins.
  await vi.waitFor(async () => expect(await journals()).toContain('"tool":"Bash"'), { timeout: 30_000 });
  child.kill("SIGKILL");
  await finished;

  const { code, stderr } = await spawnSkein(["log"], place);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^A turn was cut off on a branch and is kept as ([\da-f]{12}): "Try it"\. .*skein show \1$/mu);
  await expectNoProcessWith(mark);
  expect(await readdir(join(home, "branches"))).toEqual([]);
  expect(await readFile("/proc/self/mounts", "utf8")).not.toContain(root);
  const { stdout: shown } = await spawnSkein(["show", /kept as ([\da-f]+)/u.exec(stderr)?.[1] ?? ""], place);
  expect(shown).toContain("half.txt");
}, 120_000);

async function storeIn(skeinHome: string): Promise<{ readonly home: string }> {
  const [name = ""] = (await readdir(join(skeinHome, "workspaces"))).filter((each) => /^app-[0-9a-f]+$/u.test(each));
  expect(name).not.toBe("");
  return { home: join(skeinHome, "workspaces", name) };
}

async function startPlace(): Promise<Place> {
  const root = await realpath(await temporaryDirectory());
  const [cwd, home, temporary] = ["app", "home", "tmp"].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [cwd, join(home, ".claude"), temporary]) await mkdir(folder, { recursive: true });
  execFileSync("git", ["init", "--quiet", cwd]);
  const login = {
    claudeAiOauth: { accessToken: "token-to-be-found", refreshToken: "no", expiresAt: 4_102_444_800_000 },
  };
  await writeFile(join(home, ".claude/.credentials.json"), JSON.stringify(login));
  // These are somebody's own, and as empty as the sandbox's.
  for (const name of [".bashrc", ".profile"]) await writeFile(join(cwd, name), "");
  const place = { cwd, env: { HOME: home, SKEIN_HOME: join(root, "skein"), TMPDIR: temporary } };
  const scenario = await scenarioFile([
    { call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "one\n" } } },
    { say: "Done." },
  ]);
  expect(await spawnSkein(["run", "Begin", "--offline", scenario], place)).toMatchObject({ code: 0 });
  return place;
}

/** Has a second turn hang in a command that goes on writing, and kills its host; gives what is in the command's line. */
async function hangInTurn(place: Place, { withGuardian = false } = {}): Promise<string> {
  const mark = `mark-39${process.pid}`;
  const command = `while :; do date >> log.txt; sleep 0.05; done; : ${mark}`;
  const scenario = await scenarioFile([{ call: { tool: "Bash", input: { command, description: "Write on" } } }]);
  const { child, finished } = await startSkein(["run", "Go on", "--continue", "--offline", scenario], place);
  const log = join(place.cwd, "log.txt");
  await vi.waitFor(async () => expect((await stat(log)).size).toBeGreaterThan(0), { timeout: 30_000 });
  expect((await leftIn(place)).temporary).toHaveLength(1);
  if (withGuardian) await killGuardians(join(place.env["SKEIN_HOME"] ?? "", "processes"));
  child.kill("SIGKILL");
  await finished;
  return mark;
}

async function leftIn({ cwd, env }: Place): Promise<{ readonly workspace: string[]; readonly temporary: string[] }> {
  const temporary = (await readdir(env["TMPDIR"] ?? "")).filter((name) => name.startsWith("claude-resume-"));
  const own = (await readdir(cwd)).filter((name) => name !== ".git");
  const locks = (await readdir(join(cwd, ".git"))).filter((name) => name.endsWith(".lock"));
  return { workspace: [...own, ...locks].toSorted(), temporary };
}
