import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../run-command.mjs";

const TIMEOUT_MS = 180_000;

/**
 * Runs the blocks of a page in their order, in one folder with a home of its own and `my-project` in it; the offline model answers
 * whoever asks for the real one. Gives what is wrong, by the line of the page.
 */
export async function runPage({ page, blocks, modules }, { folder, modelEnv, binaries }) {
  const work = join(folder, "work");
  const home = join(folder, "home");
  for (const made of [join(work, "my-project"), home, join(folder, "tmp")]) mkdirSync(made, { recursive: true });
  const { PATH, LANG = "C.UTF-8", NODE_EXTRA_CA_CERTS } = process.env;
  const env = {
    PATH: `${binaries}:${PATH}`,
    LANG,
    HOME: home,
    SKEIN_HOME: join(folder, "skein"),
    TMPDIR: join(folder, "tmp"),
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}),
    ...modelEnv,
  };
  const place = { cwd: work, env, timeoutMs: TIMEOUT_MS };
  const problems = [];
  for (const block of blocks) {
    const failure = await runBlock(block, { modules, place }).then(
      () => undefined,
      (error) => error,
    );
    if (failure) problems.push({ page, line: block.line, text: failure.message });
  }
  return problems;
}

async function runBlock(block, { modules, place }) {
  if (block.language === "json") JSON.parse(block.code.join("\n"));
  // A record may be printed over several lines, of which the later ones are set in.
  if (block.language === "jsonl")
    block.code
      .join("\n")
      .split(/\n(?=\S)/)
      .forEach((record) => void JSON.parse(record));
  if (block.language === "sh") {
    const script = [...block.before, ...block.code].join("\n");
    const syntaxOnly = block.notRun === undefined ? [] : ["-n"];
    await runCommand("bash", [...syntaxOnly, "-euo", "pipefail", "-c", script], {
      ...place,
      expectedCode: block.exits,
    });
  }
  // A module runs where its last block stands, unless one of its blocks cannot.
  const module = modules.find(({ blocks }) => blocks.at(-1) === block);
  if (module === undefined || module.blocks.some(({ notRun }) => notRun !== undefined)) return;
  await runCommand(process.execPath, [module.compiled], place);
}
