// Packs the package, installs it with npm, pnpm and yarn in empty projects, and uses it there as a person would. Needs what `build`
// makes, and the registry that npm is configured with.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { managers } from "./installs/managers.mjs";
import { runCommand } from "./run-command.mjs";
import { useProject } from "./installs/use-project.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Beside the package, what a TypeScript project has; `zod` for the shapes of its prompts. */
const COMPANIONS = ["typescript", "@types/node", "zod"];

const folder = mkdtempSync(join(tmpdir(), "skein-installs-"));
try {
  const others = COMPANIONS.map((name) => `${name}@${wantedVersion(name)}`);
  const tarball = await pack();
  const waiting = await managers(folder, root);
  const next = async () => {
    for (let manager = waiting.shift(); manager; manager = waiting.shift()) await tryManager(manager, tarball, others);
  };
  // Two at a time: one waits for the registry while the other works.
  await Promise.all([next(), next()]);
} catch (error) {
  console.error(`✗ ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function wantedVersion(name) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return { ...dependencies, ...devDependencies }[name];
}

async function pack() {
  await runCommand("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root, env: process.env });
  return join(
    folder,
    readdirSync(folder).find((file) => file.endsWith(".tgz")),
  );
}

/** Says what each step did; the first that fails ends this manager's. */
async function tryManager(manager, tarball, others) {
  const project = join(folder, manager.name);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  for (const [file, text] of Object.entries(manager.files)) writeFileSync(join(project, file), text);
  const [command, ...args] = [...manager.install, ...manager.dependencies(tarball, others)];
  const install = { title: "install", run: () => runCommand(command, args, { cwd: project, env: manager.env }) };
  for (const step of [install, ...useProject(manager, project)]) {
    const startedAt = performance.now();
    const failure = await step.run().then(
      () => undefined,
      (error) => error,
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${failure ? "✗" : "✓"} ${manager.name}: ${step.title} ${seconds} s`);
    if (!failure) continue;
    console.log(failure.message);
    process.exitCode = 1;
    return;
  }
}
