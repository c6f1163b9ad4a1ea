import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { alternate, timeOf } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row } from "./harness/row.ts";

const run = promisify(execFile);
const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const ROUNDS = 11;
const TURNS = 5;

/** What is started in a workspace with some states, and how many times `node -e 0` it may take. */
const COMMANDS: readonly (readonly [command: string, atMost: number])[] = [
  ["--help", 2.5],
  ["log --help", 2.5],
  ["explore --help", 2.5],
  ["log", 2.5],
  ["tree", 2.5],
  ["diff @", 2.5],
  ["show @", 2.5],
  ["sessions", 2.5],
];

export const startup: Bench = {
  name: "start",
  summary: `commands in a workspace with ${TURNS} states, beside Node alone`,
  async run(tell) {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-start-"));
    try {
      tell(`${TURNS} turns are recorded`);
      const { skein, node } = await makeWorkspace(root);
      tell("commands");
      const sides = COMMANDS.map(([command]) => [command, () => timeOf(() => skein(...command.split(" ")))] as const);
      const nothing = (): Promise<{ readonly ms: number }> => timeOf(() => node("-e", "0"));
      const times = await alternate<string, "ms">(ROUNDS, { node: nothing, ...Object.fromEntries(sides) });
      // It moves a commit away that the others show, so it comes after them.
      const undone = await alternate(TURNS - 2, { node: nothing, undo: () => timeOf(() => skein("undo")) });
      const beside = (ms = Number.NaN) => ({ name: "node -e 0", value: ms });
      return [
        ...COMMANDS.map(([command, atMost]) =>
          row({
            name: `skein ${command}`,
            what: `skein ${command}`,
            ours: times[command]?.ms ?? Number.NaN,
            unit: "ms",
            beside: beside(times["node"]?.ms),
            aim: { of: "ratio", atMost },
          }),
        ),
        row({
          name: "skein undo",
          what: "skein undo, with its syncs and proof",
          ours: undone.undo.ms,
          unit: "ms",
          beside: beside(undone.node.ms),
          aim: { of: "ratio", atMost: 4 },
        }),
      ];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

type Run = (...args: readonly string[]) => Promise<unknown>;

const SCENARIO = {
  name: "bench",
  rules: [
    {
      steps: [
        { call: [{ tool: "Write", input: { file_path: "{{cwd}}/answer.txt", content: "{{prompt}}" } }] },
        { say: "Written." },
      ],
    },
  ],
};

/** A workspace with a turn a state, recorded by the command itself with the offline model. */
async function makeWorkspace(root: string): Promise<{ readonly skein: Run; readonly node: Run }> {
  const [cwd, scenario] = [join(root, "workspace"), join(root, "scenario.json")];
  await mkdir(cwd);
  await writeFile(scenario, JSON.stringify(SCENARIO));
  await writeFile(join(cwd, "README.md"), "# A workspace\n");
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    SKEIN_HOME: join(root, "home"),
    CLAUDE_CONFIG_DIR: join(root, ".claude"),
  };
  // Both in the same environment: certificates that one of them is to trust besides (NODE_EXTRA_CA_CERTS) make a start three times as long.
  const node: Run = (...args) => run(process.execPath, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  const skein: Run = (...args) => node(SKEIN, ...args);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const more = turn === 0 ? [] : ["--continue"];
    await skein("run", `turn ${turn}`, "--offline", scenario, ...more);
  }
  return { skein, node };
}
