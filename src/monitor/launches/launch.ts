import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId, identify, packageRoot, PRIVATE_FILE, PRIVATE_FOLDER, type Clock } from "../../core/internal.ts";
import { launchFolder, LAUNCH_FILES } from "./launch-folder.ts";

/** A command that is run beside the server. */
export interface LaunchOrder {
  readonly command: string;
  /** Its flags, each with its value in one word: no value is taken for a flag. */
  readonly flags: readonly string[];
  /** What it reads from its standard input, in place of words; undefined where it reads nothing. */
  readonly input: string | undefined;
  /** Files that it is told of by `--attach`. */
  readonly attachments: readonly { readonly name: string; readonly content: Buffer }[];
}

/** A command that was started: a process of its own, which lives on when the server does not. */
export interface LaunchedProcess {
  readonly folder: string;
  readonly process: ChildProcess;
  /** Resolves when it is gone. */
  readonly ended: Promise<unknown>;
}

/**
 * Starts a command in a process of its own: by the installed command's path, with words and never a shell, in the server's environment. What it reads and
 * writes are files in the data folder, so that the end of the server ends nothing. What it writes is one envelope, and notices for people.
 */
export async function launch(
  { command, flags, input, attachments }: LaunchOrder,
  { dataHome, env, clock }: { readonly dataHome: string; readonly env: NodeJS.ProcessEnv; readonly clock: Clock },
): Promise<LaunchedProcess> {
  const folder = join(launchFolder(dataHome), createId(clock));
  await mkdir(join(folder, LAUNCH_FILES.attachments), PRIVATE_FOLDER);
  const attached: string[] = [];
  for (const [index, { name, content }] of attachments.entries()) {
    // Each in a folder of its own: it keeps its name, whatever the others are called.
    const place = join(folder, LAUNCH_FILES.attachments, String(index));
    await mkdir(place, PRIVATE_FOLDER);
    const path = join(place, name);
    await writeFile(path, content, { mode: PRIVATE_FILE });
    attached.push(`--attach=${path}`);
  }
  await writeFile(join(folder, LAUNCH_FILES.input), input ?? "", { mode: PRIVATE_FILE });
  await using read = await open(join(folder, LAUNCH_FILES.input), "r");
  await using out = await open(join(folder, LAUNCH_FILES.out), "wx", PRIVATE_FILE);
  await using err = await open(join(folder, LAUNCH_FILES.err), "wx", PRIVATE_FILE);
  const script = join(packageRoot(), "dist", "cli", "main.js");
  const words = [script, command, ...flags, ...attached, "--output-format=json"];
  const child = spawn(process.execPath, input === undefined ? words : [...words, "-"], {
    cwd: folder,
    env: { ...env, SKEIN_HOME: dataHome },
    stdio: [read.fd, out.fd, err.fd],
    detached: true,
    windowsHide: true,
  });
  const ended = once(child, "exit");
  ended.catch(() => undefined);
  await once(child, "spawn");
  child.unref();
  const identity = child.pid === undefined ? undefined : await identify(child.pid);
  await writeFile(join(folder, LAUNCH_FILES.process), JSON.stringify(identity ?? null), { mode: PRIVATE_FILE });
  return { folder, process: child, ended };
}
