import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { createRandom } from "../../src/search/random.ts";
import { lookAfter, type Aftermath } from "../support/killed-commands/aftermath.ts";
import { COMMANDS, type KilledCommand } from "../support/killed-commands/commands.ts";
import { killOnce, measure, type Death } from "../support/killed-commands/kill-once.ts";
import { mountsOf } from "../support/killed-commands/left-behind.ts";
import { prepare, type Prepared } from "../support/killed-commands/prepare.ts";

/** `npm run chaos` kills each command a hundred times. */
const KILLS = Number(process.env["SKEIN_CHAOS_KILLS"] ?? 10);

/** Of them so many have to meet a command that runs. */
const ENOUGH = Math.floor(KILLS * 0.8) + 1;

/** Given again, it kills at the same points, as far as a machine does the same twice. */
const SEED = Number(process.env["SKEIN_CHAOS_SEED"] ?? Date.now() % 1_000_000);

const AT_ONCE = 2;

const root = realpathSync(mkdtempSync(join(tmpdir(), "skein-killed-")));
const places: Promise<Prepared>[] = [];

/** Made once for all commands; each of those who work at once has one of its own. */
async function preparedAt(worker: number): Promise<Prepared> {
  return await (places[worker] ??= prepare(join(root, `w${worker}`)));
}

afterAll(async () => {
  for (const { place } of await Promise.all(places)) {
    for (const path of mountsOf(place)) execFileSync("umount", ["--lazy", path]);
  }
  if (process.env["SKEIN_CHAOS_KEEP"] === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

interface Tried extends Aftermath {
  readonly trial: number;
  readonly death: Death;
}

test.skipIf(process.platform !== "linux").each(COMMANDS)(
  "$name, killed at any point, loses nothing that was told, and what comes next says what was cut off",
  async (command) => {
    const tried: Tried[] = [];
    const hits = (): number => tried.filter(({ death }) => death.wasRunning).length;
    let begun = 0;
    // On a busy machine a command may be done before it is killed: that is no kill, and another one is tried.
    const hasMore = (): boolean => begun < KILLS || (hits() < ENOUGH && begun < KILLS * 3);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, worker) => {
        const prepared = await preparedAt(worker);
        const measured = await measure(command, prepared);
        while (hasMore()) {
          const trial = begun++;
          const random = createRandom(SEED * 1000 + trial);
          const word = `w${trial}x`;
          const death = await killOnce(command, { prepared, durationMs: measured.durationMs, random, word });
          const aftermath = await lookAfter({ command, prepared, measured, death, random, word });
          tried.push({ trial, death, ...aftermath });
          // At once: a hundred kills take long, and a run may be ended before its end.
          if (aftermath.problems.length > 0)
            process.stdout.write(`${command.name}, trial ${trial}, ${death.how}: ${aftermath.problems.join("; ")}\n`);
        }
      }),
    );
    tell(command, tried);
    expect(
      tried
        .filter(({ problems }) => problems.length > 0)
        .map(({ trial, death, cutOff, said, problems }) => ({ trial, how: death.how, cutOff, said, problems })),
      `SKEIN_CHAOS_SEED=${SEED}`,
    ).toEqual([]);
    expect(hits()).toBeGreaterThanOrEqual(ENOUGH);
  },
  120_000 + KILLS * 30_000,
);

/** A line for the reader of the run. */
function tell({ name }: KilledCommand, tried: readonly Tried[]): void {
  const count = (isMeant: (each: Tried) => boolean): number => tried.filter(isMeant).length;
  const kinds = tried.flatMap(({ cutOff }) => cutOff.map((each) => each.split(" ")[0] ?? ""));
  const cut = [...new Set(kinds)].map((kind) => `${kinds.filter((each) => each === kind).length} ${kind}`);
  process.stdout.write(
    `${name}: ${tried.length} trials (seed ${SEED}), ${count(({ death }) => death.wasRunning)} killed while running, ` +
      `${count(({ death }) => death.isDone)} had said that they were done; ` +
      `${tried.reduce((sum, { states }) => sum + states, 0)} told states looked at; ` +
      `cut off: ${cut.join(", ") || "nothing"}, said by the next command ${count(({ said }) => said.length > 0)} times; ` +
      `${count(({ problems }) => problems.length === 0)} sound\n`,
  );
}
