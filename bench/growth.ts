import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { alternate, timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row, type Row } from "./harness/row.ts";
import { createWritingEngine, makeStates, type Place } from "./make-states.ts";
import { runProgram } from "./run-child.ts";

const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const [FEW, SOME, MANY] = [100, 1_000, 10_000] as const;
const ROUNDS = 7;
const FEW_ROUNDS = 1;

/** What should cost the same however much was recorded before, and what looks at every state and so cannot. */
const FLAT = { turn: "a turn", log: "skein log -n 20", push: "skein push of one more turn" } as const;
const LINEAR = { tree: "skein tree", verify: "skein verify", gc: "skein gc" } as const;
const ONCE = { first: "first skein log, which makes the index" } as const;

export const growth: Bench = {
  name: "growth",
  summary: `work in workspaces with ${SOME} and ${MANY} recorded states beside one with ${FEW}`,
  async run(tell) {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-growth-"));
    try {
      tell("the histories are made");
      const places = { few: await make(root, FEW), some: await make(root, SOME), many: await make(root, MANY) };
      tell("a turn, log and push");
      const flat = await alternate(ROUNDS, {
        few: () => timeFlat(places.few),
        some: () => timeFlat(places.some),
        many: () => timeFlat(places.many),
      });
      tell("tree, verify and gc");
      const linear = await alternate(FEW_ROUNDS, {
        few: () => timeLinear(places.few),
        some: () => timeLinear(places.some),
        many: () => timeLinear(places.many),
      });
      return [...rowsOf(FLAT, flat), ...rowsOf(LINEAR, linear), ...rowsOf<"first">(ONCE, places)];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

type Sides<Name extends string> = Readonly<Record<"few" | "some" | "many", Readonly<Record<Name, number>>>>;

function rowsOf<Name extends string>(names: Readonly<Record<Name, string>>, sides: Sides<Name>): readonly Row[] {
  return (Object.keys(names) as Name[]).flatMap((name) =>
    (["some", "many"] as const).map((side) => {
      const states = side === "some" ? SOME : MANY;
      return row({
        name: `${name}-${states}`,
        what: `${names[name]}, ${states.toLocaleString("en-US")} states`,
        ours: sides[side][name],
        unit: "ms",
        beside: { name: `${FEW} states`, value: sides.few[name] },
        // What is linear may take as many times as long as there are states.
        aim: { of: "ratio", atMost: name in FLAT ? 1.3 : states / FEW },
      });
    }),
  );
}

/** One turn more, then what looks at the newest states only. */
async function timeFlat(place: Place): Promise<Readonly<Record<keyof typeof FLAT, number>>> {
  const turn = await timeTurn(place);
  return {
    turn,
    log: await timed(() => skein(place, "log", "-n", "20")),
    push: await timed(() => skein(place, "push", remoteOf(place))),
  };
}

/** A turn of a conversation at its tip, as a program takes several: opening is not in it. */
async function timeTurn({ path, home }: Place): Promise<number> {
  await using workspace = await Workspace.open(path, { home });
  await using conversation = await Conversation.load(workspace, "@", { engine: createWritingEngine({ path }) });
  await conversation.send(`before ${performance.now()}`);
  return await timed(() => conversation.send(`turn ${performance.now()}`));
}

async function timeLinear(place: Place): Promise<Readonly<Record<keyof typeof LINEAR, number>>> {
  return {
    tree: await timed(() => skein(place, "tree")),
    verify: await timed(() => skein(place, "verify")),
    gc: await timed(() => skein(place, "gc")),
  };
}

async function make(root: string, states: number): Promise<Place & { readonly first: number }> {
  const place = await makeStates(root, states);
  execFileSync("git", ["init", "--quiet", "--bare", remoteOf(place)]);
  // What was recorded before is sent, and taken into the index, once.
  await skein(place, "push", remoteOf(place));
  return { ...place, first: await timed(() => skein(place, "log")) };
}

function remoteOf({ path }: Place): string {
  return `${path}.git`;
}

async function skein({ path, home }: Place, ...args: readonly string[]): Promise<string> {
  const environment = { PATH: process.env["PATH"], HOME: home, SKEIN_HOME: home };
  return await runProgram(process.execPath, [SKEIN, ...args, "--cwd", path], environment);
}
