import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../core/internal.ts";
import { detectCredentials, findCli } from "../../engine/internal.ts";
import { detectSandbox } from "../../isolation/internal.ts";
import type { CallContext } from "../command/command.ts";
import { asData } from "../command/wire-keys.ts";

/** What an agent is started with on this machine and in a directory. */
export const SetUp = z.strictObject({
  node_version: z.string().describe("The version of Node that runs Skein"),
  platform_name: z.string().describe("The operating system: `linux`, `darwin`, `win32` …"),
  architecture: z.string().describe("The processor: `x64`, `arm64` …"),
  cli_version: z.string().describe("Claude Code's version"),
  cli_path: z.string().describe("Claude Code's program"),
  sandbox: z
    .strictObject({
      available: z.boolean().describe("Whether a sandbox can be made"),
      missing: z.array(z.string()).describe("The programs that are missing for it"),
      failure: z
        .string()
        .nullable()
        .describe("What was said when one was tried, where nothing is missing and none can be made; null otherwise"),
    })
    .describe("Whether Bash commands can be confined; what is missing if not"),
  credentials: z.array(z.string()).describe("Where credentials would be taken from; their values are never read"),
  test_command: z.string().nullable().describe("How the directory says that it is tested; null where it does not say"),
});
export type SetUp = z.infer<typeof SetUp>;

export async function describeSetUp(directory: string, { env }: CallContext): Promise<SetUp> {
  const [cli, sandbox, credentials, testCommand] = await Promise.all([
    findCli(),
    detectSandbox({ path: env["PATH"] }),
    detectCredentials(env),
    findTestCommand(directory),
  ]);
  return {
    node_version: process.versions.node,
    platform_name: process.platform,
    architecture: process.arch,
    cli_version: cli.version,
    cli_path: cli.path,
    sandbox: asData(SetUp.shape.sandbox, sandbox),
    credentials: [...credentials],
    test_command: testCommand,
  };
}

const PackageFile = z.looseObject({ scripts: z.looseObject({ test: z.string().optional() }).optional() });

/** Files that say how tests are run, in the order in which they are looked for. */
const TEST_COMMANDS: readonly (readonly [file: string, command: (text: string) => string | undefined])[] = [
  ["package.json", (text) => (PackageFile.safeParse(parseJson(text)).data?.scripts?.test ? "npm test" : undefined)],
  ["Cargo.toml", () => "cargo test"],
  ["go.mod", () => "go test ./..."],
  ["pyproject.toml", (text) => (text.includes("pytest") ? "pytest" : undefined)],
  ["Makefile", (text) => (/^test:/mu.test(text) ? "make test" : undefined)],
];

async function findTestCommand(directory: string): Promise<string | null> {
  for (const [file, command] of TEST_COMMANDS) {
    const text = await readFile(join(directory, file), "utf8").catch(() => undefined);
    const found = text === undefined ? undefined : command(text);
    if (found !== undefined) return found;
  }
  return null;
}
