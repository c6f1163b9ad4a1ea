import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { lateSchemas } from "./late-schemas.mjs";

/** What stays outside: what only an agent's run needs and is found by its name, and what is a binary. */
const EXTERNAL = [/^node:/, /^@anthropic-ai\//, /^@modelcontextprotocol\//, "#sqlite"];

/**
 * What goes into one file, with all that it imports and no earlier one has: to find and open a file takes Node as long as reading some tens of
 * kilobytes. First what shows help, then what runs any command, then what reads states and transcripts, then a workspace. Kysely is for lists.
 */
const TOGETHER = [
  ["program", /src\/cli\/program\.ts$/],
  ["zod", /node_modules\/zod\/|late-(?:zod|schema)/],
  ["call", /src\/cli\/command-line\.ts$/],
  ["states", /src\/(?:core|transcript\/(?:discover|scan|usage)|trace\/(?:session\/session-segments|record\/state)|workspace\/records\/find-stores|cli\/common-flags)[./]/],
  ["workspace", /src\/cli\/open-workspace\.ts$/],
  ["views", /src\/terminal\//],
  ["state-views", /src\/(?:cli\/(?:states\/(?:state-data|state-lines|patch-lines)|turn\/(?:file-lines|paid-cost|turn-data))|protocol\/changes\/[a-z-]+)\.ts$/],
  ["state-index", /src\/trace\/(?:state-index\/(?:trace-index|kept-index|store-signature)|conversation\/find-conversation)\.ts$/],
  ["kysely", /(?:node_modules\/kysely\/|src\/(?:database\/(?:full-text|sqlite-dialect)|trace\/state-index\/create-state-index)\.ts$)/],
];

const NOTICES = "THIRD-PARTY-NOTICES.txt";

/**
 * Bundles the command with what it depends on into `folder`: `main.js` for people, `index.js` for the package's own scripts and tests, a file for
 * each command, and what several share. Opening a file costs Node about as much as running it, and unbundled `skein log` opened 800 of them.
 */
export async function bundleCommand(root, folder, kept) {
  const command = await bundle({ root, folder }, { main: "src/cli/main.ts", index: "src/cli/index.ts" }, TOGETHER);
  // The script of the threads that read transcripts, the library's too: `imports` of `package.json` leads here. It has one file for itself: what the
  // command loads with the parts of it would be loaded by each thread.
  const worker = await bundle({ root, folder }, { "digest-worker": "src/transcript/digest/digest-worker.ts" }, []);
  const output = [...command, ...worker];
  const files = new Map(output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]));
  const packages = packagesOf(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
  files.set(NOTICES, packages.map(noticeOf).join(`\n${"-".repeat(80)}\n\n`));
  writeFiles(folder, files, kept);
}

/** The files that a bundle of some scripts is made of. */
async function bundle({ root, folder }, input, groups) {
  const made = await rolldown({
    cwd: root,
    input,
    plugins: [lateSchemas()],
    platform: "node",
    external: EXTERNAL,
    tsconfig: "tsconfig.json",
    transform: { target: "node20.19" },
    onLog: (_, { message }) => {
      throw new Error(message);
    },
  });
  const { output } = await made.generate({
    sourcemap: true,
    // The paths of a source map are relative to this.
    dir: folder,
    chunkFileNames: "[name].js",
    codeSplitting: { groups: groups.map(([name, test], place) => ({ name, test, priority: groups.length - place })) },
    comments: { legal: true, annotation: false, jsdoc: false },
    // Classes of errors are told by their names across copies.
    keepNames: true,
  });
  await made.close();
  return output;
}

/** Only what changed is written: a command that runs meanwhile may load a part of it later. */
function writeFiles(folder, files, kept) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) {
    const path = join(folder, name);
    if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
  }
  for (const name of readdirSync(folder)) {
    if (!files.has(name) && !kept.includes(name)) rmSync(join(folder, name), { recursive: true });
  }
}

/** The folders of the packages that modules come from, sorted. */
function packagesOf(modules) {
  const folders = modules.flatMap((path) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

/** The licence of a package whose code is in the bundle, as it asks for. */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file: its notice cannot be carried`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
