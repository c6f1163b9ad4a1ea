import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../run-command.mjs";

/** What a person does with the package in a project where it is installed. */
export function useProject({ exec: [command, ...words], env, refusal }, project) {
  // What is run has a home of its own; package managers read their settings in the person's.
  const home = join(project, "home");
  const apart = { ...env, HOME: home, SKEIN_HOME: join(project, "skein") };
  for (const folder of [home, join(project, "work")]) mkdirSync(folder);
  const at = { cwd: project, env: apart };
  const inProject = (args, more) => runCommand(command, [...words, ...args], { ...at, ...more });
  const turn = ["skein", "run", "Build a TODO app", "--offline", "--cwd", join(project, "work")];
  if (refusal)
    return [
      { title: `is refused with ${refusal}`, run: () => refuses(() => inProject(turn, { expectedCode: 1 }), refusal) },
    ];
  return [
    { title: "skein demo", run: () => inProject(["skein", "demo"]) },
    { title: "skein sessions", run: () => inProject(["skein", "sessions", "--output-format", "json"]) },
    { title: "plain JavaScript", run: () => plainJavaScript(project, at) },
    { title: "tsc --strict, module nodenext", run: () => compile("nodenext", "nodenext") },
    { title: "tsc --strict, bundler", run: () => compile("esnext", "bundler") },
  ];

  async function compile(module, moduleResolution) {
    writeFileSync(join(project, "index.ts"), program(project));
    // No `lib`: the compiler's own has what browsers know, which the MCP SDK's types ask for.
    const compilerOptions = { strict: true, noEmit: true, target: "esnext", types: ["node"] };
    const tsconfig = { compilerOptions: { ...compilerOptions, module, moduleResolution }, files: ["index.ts"] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
    await inProject(["tsc", "-p", "tsconfig.json"]);
  }
}

async function refuses(attempt, words) {
  const output = await attempt();
  if (!output.includes(words)) throw new Error(`the error does not say ${words}:\n${output}`);
}

/** Imports each subpath without a compiler, and opens a database with the binding that the package carries. */
async function plainJavaScript(project, at) {
  const imports = subpaths(project).map(
    (name) => `console.log(${JSON.stringify(name)}, Object.keys(await import(${JSON.stringify(name)})).length);`,
  );
  const binding = `
    const carried = new URL("dist/carried/sqlite/dist/index.mjs", import.meta.resolve("skein/package.json"));
    const { DatabaseSync } = await import(carried.href);
    console.log(new DatabaseSync(":memory:").prepare("select sqlite_version() as version").all());`;
  writeFileSync(join(project, "index.js"), `${imports.join("\n")}${binding}\n`);
  await runCommand(process.execPath, ["index.js"], at);
}

/** Every subpath with its types, and a first program: an agent with safe options and a typed prompt. */
function program(project) {
  const names = subpaths(project);
  const imports = names.map((name, at) => `import * as room${at} from ${JSON.stringify(name)};`);
  return `${imports.join("\n")}
import { ClaudeAgent, ClaudeEngine } from "skein";
import { safeOptions } from "skein/isolation";
import { MarkdownSection, PromptTemplate } from "skein/prompt";
import { z } from "zod";

export const rooms = [${names.map((_, at) => `room${at}`).join(", ")}];
export const hello = new PromptTemplate({
  ns: "demo",
  key: "hello",
  output: z.object({ message: z.string() }),
  sections: [new MarkdownSection({ title: "Task", key: "task", template: "Say hello" })],
});
await using agent = new ClaudeAgent(".", { engine: new ClaudeEngine(await safeOptions({ cwd: "." })) });
const { text, costUsd } = await agent.send("hello");
export const told: string = \`\${text} \${costUsd}\`;
`;
}

function subpaths(project) {
  const { exports } = JSON.parse(readFileSync(join(project, "node_modules", "skein", "package.json"), "utf8"));
  return Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => path.replace(".", "skein"));
}
