import { ClaudeEnvironment, mcts } from "skein/search";
import { createStoryClock, createStoryEngine, writeFiles } from "./story-engine.mjs";

const FILES = {
  "README.md": "# CSV\n\nReads tables of text.\n",
  "src/parse.ts":
    "export const parse = (text: string): string[][] => text.split('\\n').map((line) => line.split(','));\n",
  "bench.mjs": "import { parse } from './src/parse.ts';\nconsole.log(parse('a,b').length);\n",
};

/** What can be tried, with what it is worth: a wrong start looks best for a while. */
const WAYS = [
  ["Read it letter by letter, with a small automaton", 0.22],
  ["Use one regular expression for a field", 0.2],
  ["Split at quotes first, then at commas", 0.14],
  ["Keep positions, and cut strings only at the end", 0.3],
  ["Read it as bytes and decode at the end", 0.26],
];

/** A search of about sixty nodes over ways to make a parser faster, with the reward of each. */
export async function seedSearch(directory, { home, startMs }) {
  writeFiles(FILES, directory);
  const clock = createStoryClock(startMs);
  const { engine, tell } = createStoryEngine("csv-parser", clock);
  const environment = await ClaudeEnvironment.open(directory, { engine, workspace: { home, clock } });
  const start = await environment.checkpoint("before-search");
  let turns = 0;
  const expand = ({ depth }) =>
    WAYS.map(([way, worth], place) => {
      const prompt = `${way}${depth === 0 ? "" : `, on top of what is there (${depth + 1})`}`;
      tell(prompt, () => storyOf({ way, worth, place, number: (turns += 1) }));
      return prompt;
    });
  const { nodes, best } = await mcts(environment, {
    from: start,
    expand,
    depth: 7,
    iterations: 60,
    seed: 7,
    exploration: 0.35,
    widening: { factor: 1, exponent: 0.55 },
    reward: ({ transition }) => rate(transition),
  });
  if (best) await environment.workspace.states.setCheckpoint("fastest-so-far", best.state.id, { replace: true });
  await environment.close();
  return { nodes: nodes.length };
}

function storyOf({ way, worth, place, number }) {
  const fails = number % 19 === 11 ? { kind: "overloaded", message: "The API was overloaded (529)" } : undefined;
  return {
    costUsd: Math.round((0.004 + worth / 60 + (number % 7) / 700) * 10_000) / 10_000,
    tokens: 0.25,
    seconds: 14 + place * 6 + (number % 5),
    ...(fails ? { fails } : {}),
    steps: [
      { call: "Read", input: { file_path: "src/parse.ts" }, output: "     1→export const parse = …" },
      {
        call: "Write",
        input: {
          file_path: "src/parse.ts",
          content: `// ${way}\n${"export const step = 1;\n".repeat((number % 4) + 1)}${FILES["src/parse.ts"]}`,
        },
        output: "File written",
      },
      ...(number % 3 === 0
        ? [
            {
              call: "Write",
              input: { file_path: `src/field-${place}.ts`, content: `export const field = ${number};\n` },
              output: "File written",
            },
          ]
        : []),
      {
        call: "Bash",
        input: { command: "node bench.mjs" },
        output: `${(90 - worth * 100 - number / 4).toFixed(1)} ms for 10 MB`,
      },
      ...(fails ? [] : [{ say: `${way}: ${(90 - worth * 100 - number / 4).toFixed(1)} ms for 10 MB.` }]),
    ],
  };
}

/** Better with each good step and a little better or worse for no reason, bad where a turn failed: the same each time. */
function rate({ execution, prompt, turn }) {
  if (execution.outcome !== "completed") return { value: 0.05, parts: { tests: 0 }, notes: {} };
  const worth = WAYS.find(([way]) => prompt.text.startsWith(way))?.[1] ?? 0;
  const luck = (((execution.durationMs / 1000) * 7) % 13) / 100 - 0.06;
  const value = Math.max(0.02, Math.min(0.97, Math.round((0.16 + worth * (0.5 + turn * 0.42) + luck) * 100) / 100));
  return { value, parts: { speed: value, tests: worth > 0.15 ? 1 : 0.8 }, notes: {} };
}
