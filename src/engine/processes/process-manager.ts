import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import { clearLeftovers, recordFolder, writeHostRecord } from "./leftovers.ts";
import { findGroupParent, type GroupParent } from "../resources/memory-group.ts";
import { expectedResume, writeRemainsList } from "./remains.ts";
import { spawnCli, type CliProcess, type SpawnCliOptions } from "./cli-process.ts";
import { startGuardian } from "./guardian.ts";

/** Starts CLI processes and answers for their end: on close, on abort, and when this host itself is killed. */
export class ProcessManager implements AsyncDisposable {
  /** Nobody else has it, so nobody else's processes carry it. */
  readonly mark = randomUUID();
  readonly #recordFolder: string | undefined;
  readonly #running = new Set<CliProcess>();
  #count = 0;
  #prepared: Promise<() => void> | undefined;
  #groupParent: GroupParent | undefined;

  /** `folder` is where the host puts down that it is running, for `skein doctor --fix`. */
  constructor(folder?: string) {
    this.#recordFolder = folder;
  }

  /** Writes the host's record and starts its guardian, once; to be awaited before `spawn`. */
  async prepare(): Promise<void> {
    this.#prepared ??= this.#prepare();
    await this.#prepared;
  }

  spawn(options: SpawnOptions, more: Pick<SpawnCliOptions, "onStderr" | "folders" | "isShown"> = {}): CliProcess {
    this.#count += 1;
    const cli = spawnCli(options, {
      mark: `${this.mark}.${this.#count}.`,
      ...more,
      groupParent: this.#groupParent,
      recordFolder: this.#recordFolder ?? recordFolder(),
    });
    this.#running.add(cli);
    cli.child.once("exit", () => this.#running.delete(cli));
    cli.child.once("error", () => this.#running.delete(cli));
    return cli;
  }

  /** Puts down that the SDK lays out a stored session, with a copy of the credentials, for a CLI that is about to start; gives what takes that back. */
  expectResume(sessionId: string): () => void {
    this.#count += 1;
    const [folder, mark] = [this.#recordFolder ?? recordFolder(), `${this.mark}.${this.#count}.`];
    writeRemainsList(folder, mark, expectedResume(sessionId));
    return () => writeRemainsList(folder, mark, []);
  }

  /** What runs now, with its start in milliseconds since the epoch. */
  processes(): readonly Pick<CliProcess, "pid" | "startedAt">[] {
    return [...this.#running].map(({ pid, startedAt }) => ({ pid, startedAt }));
  }

  /** Ends every process, and resolves when all are proven gone. */
  async closeAll(graceMs?: number): Promise<void> {
    await Promise.all([...this.#running].map((cli) => cli.end(graceMs)));
  }

  async #prepare(): Promise<() => void> {
    const path = join(this.#recordFolder ?? recordFolder(), `${this.mark}.json`);
    // What hosts before this one left is not to be in the way of its agents; a failure is met again by the next.
    if (this.#recordFolder === undefined) await clearLeftovers().catch(() => undefined);
    this.#groupParent = await findGroupParent();
    // A record that cannot be written costs the second safety net, not the run; `skein doctor` tells of the folder.
    await writeHostRecord(this.mark, path, this.#groupParent?.path).catch(() => undefined);
    return startGuardian(this.mark, path, this.#groupParent?.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeAll();
    (await this.#prepared)?.();
    this.#prepared = undefined;
  }
}

/** The manager that this host's engines share. */
export const hostProcesses = new ProcessManager();
