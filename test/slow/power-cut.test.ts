import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeEngine } from "../../src/testing/index.ts";
import { Conversation, verifyWorkspace } from "../../src/trace/index.ts";
import { findInterruptedTurns, readNote } from "../../src/trace/internal.ts";
import { Workspace } from "../../src/workspace/index.ts";

const TURNS = 6;
const CUTS_BETWEEN = 12;

/** What a worker had told before a picture of the disk was taken. */
type Told =
  | { readonly type: "opened" }
  | {
      readonly type: "state";
      readonly state: string;
      readonly conversation: string;
      readonly file: string;
      readonly content: string;
    }
  | { readonly type: "note"; readonly state: string; readonly turn: number }
  | { readonly type: "checkpoint"; readonly name: string; readonly state: string }
  | { readonly type: "restored"; readonly state: string };

interface Picture {
  readonly image: string;
  readonly told: readonly Told[];
}

let root: string;
let mount: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-power-cut-")));
  mount = join(root, "disk");
  mkdirSync(mount);
});

afterEach(() => {
  unmount();
  rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

const reason = whyNoDisk();
if (reason !== undefined) {
  const line = `"a power cut" needs a loop device: ${reason}`;
  if (process.env["SKEIN_REQUIRE_ALL"] === "1") throw new Error(line);
  process.stderr.write(`skipped: ${line}\n`);
}

describe.skipIf(reason !== undefined)("a power cut", () => {
  test("right after something was told leaves it there, and nothing broken", async () => {
    const pictures = await work({ cutsBetween: 0 });
    expect(pictures.length).toBeGreaterThan(TURNS * 3);
    for (const picture of pictures) await expectSound(picture);
  }, 600_000);

  test("at any other moment leaves what was told before it, and nothing broken", async () => {
    const pictures = await work({ cutsBetween: CUTS_BETWEEN });
    for (const picture of pictures) await expectSound(picture);
  }, 600_000);
});

/** Has the worker do its work on a new disk, and takes pictures of the disk as they would be found after a power cut. */
async function work({ cutsBetween }: { readonly cutsBetween: number }): Promise<readonly Picture[]> {
  const image = join(root, "image");
  execFileSync("truncate", ["--size=48M", image]);
  execFileSync("mkfs.ext4", ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image]);
  // Nothing reaches the disk by itself: only what was asked for.
  execFileSync("mount", ["-o", "loop,commit=300", image, mount]);
  mkdirSync(join(mount, "workspace"));
  execFileSync("sync", ["-f", mount]);
  const worker = startWorker();
  const pictures: Picture[] = [];
  const told: Told[] = [];
  const take = (): void => {
    const copy = join(root, `image-${pictures.length}`);
    execFileSync("cp", ["--sparse=always", image, copy]);
    pictures.push({ image: copy, told: [...told] });
  };
  const ended = once(worker, "close");
  for await (const line of createInterface(worker.stdout as NodeJS.ReadableStream)) {
    told.push(JSON.parse(line) as Told);
    if (cutsBetween === 0) take();
    worker.stdin?.write("go on\n");
    if (pictures.length >= cutsBetween || told.length < 2) continue;
    // Not a wait for something to be done: each cut comes at another point of the work.
    await new Promise((resolve) => setTimeout(resolve, 15 + 23 * pictures.length));
    stop(worker, "SIGSTOP");
    take();
    stop(worker, "SIGCONT");
  }
  expect((await ended)[0]).toBe(0);
  unmount();
  return pictures;
}

/** The disk comes back: everything that was told is there, all is sound, and work goes on. */
async function expectSound({ image, told }: Picture): Promise<void> {
  execFileSync("mount", ["-o", "loop", image, mount]);
  try {
    await using workspace = await Workspace.open(join(mount, "workspace"), { home: join(mount, "home") });
    for (const each of told) await expectThere(workspace, each);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    const interrupted = await findInterruptedTurns(workspace);
    const states = new Set(told.map((each) => (each.type === "state" ? each.state : "")));
    expect(interrupted.filter(({ beforeStateId }) => states.has(`${beforeStateId} again`))).toEqual([]);
    await using talk = await Conversation.start(workspace, { engine: createFakeEngine(() => "fine") });
    expect((await talk.send("after the cut")).execution.outcome).toBe("completed");
  } finally {
    unmount();
    rmSync(image);
  }
}

async function expectThere(workspace: Workspace, told: Told): Promise<void> {
  if (told.type === "opened") return;
  if (told.type === "checkpoint") expect((await workspace.states.checkpoints()).get(told.name)).toBe(told.state);
  if (told.type === "note") expect((await readNote(workspace, told.state)).rewards).toEqual({ turn: told.turn });
  if (told.type !== "state") return;
  expect((await workspace.read(told.state, told.file)).toString()).toBe(told.content);
  const named = await workspace.states.list((await workspace.states.conversations()).values());
  expect(named).toContain(told.state);
  expect((await workspace.states.conversations()).has(told.conversation)).toBe(true);
}

function startWorker(): ChildProcess {
  const order = { directory: join(mount, "workspace"), home: join(mount, "home"), turns: TURNS };
  return spawn(process.execPath, ["test/support/power-cut.mjs", JSON.stringify(order)], {
    env: { PATH: process.env["PATH"], SKEIN_HOME: order.home, IS_SANDBOX: "1" },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
}

/** The worker and the gits that it runs. */
function stop(worker: ChildProcess, signal: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(-(worker.pid ?? 0), signal);
  } catch {
    // It has ended.
  }
}

function unmount(): void {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  if (mounts.some((line) => line.split(" ")[1] === mount)) execFileSync("umount", [mount]);
}

/** Whether a disk can be made of a file here, found out by making one. */
function whyNoDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "skein-loop-"));
  try {
    execFileSync("truncate", ["--size=4M", join(folder, "image")], { stdio: "pipe" });
    execFileSync("mkfs.ext4", ["-q", "-F", join(folder, "image")], { stdio: "pipe" });
    mkdirSync(join(folder, "disk"));
    execFileSync("mount", ["-o", "loop", join(folder, "image"), join(folder, "disk")], { stdio: "pipe" });
    execFileSync("umount", [join(folder, "disk")], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
