import { tmpdir } from "node:os";
import { z } from "zod";
import type { ClaudeOptions } from "../../engine/index.ts";
import {
  askOffer,
  installedVersion,
  readOwnPackage,
  findParity,
  ParitySection,
  readSdkTypes,
  SDK_PACKAGE,
} from "../../protocol/index.ts";
import { defineCommand } from "../define-command.ts";
import { makeOfflineConfig } from "../../offline/index.ts";
import { markdownTable } from "../protocol/markdown-table.ts";

/** Compares what the installed CLI and SDK offer with what Skein knows. */
export const parityAudit = defineCommand({
  name: "parity-audit",
  summary: "Report what is new in the installed CLI and SDK",
  heading: "Reports:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({}),
  data: z.strictObject({
    sdk: z.strictObject({ installed: z.string().nullable(), range: z.string() }),
    cli_version: z.string(),
    /** How many names are new in all sections together. */
    new_count: z.int(),
    sections: z.array(ParitySection),
  }),
  examples: ["parity-audit", "parity-audit --output-format json"],
  async run(_, context) {
    const types = readSdkTypes();
    const recordTypes = new Set<string>();
    // The folder plays no part: settings are not read, and nothing in it is looked at.
    const { tools, cliVersion } = await askOffer(tmpdir(), {
      ...context,
      options: await collectRecords((type) => recordTypes.add(type)),
    });
    const offered = { ...types, tools: tools.map(({ name }) => name), recordTypes: [...recordTypes] };
    const sections = [...findParity(offered)];
    return {
      sdk: {
        installed: installedVersion(SDK_PACKAGE) ?? null,
        range: readOwnPackage().dependencies[SDK_PACKAGE] ?? "",
      },
      cli_version: cliVersion,
      new_count: sections.reduce((sum, section) => sum + section.new.length, 0),
      sections,
    };
  },
  format({ sdk, cli_version: cli, new_count: count, sections }) {
    const rows = sections.map(
      ({ name, found_in: foundIn, offered_count: offered, known_count: known, new: unknown }) => [
        name.replaceAll("_", " "),
        foundIn,
        offered,
        known,
        unknown.join(", "),
      ],
    );
    return [
      `# Parity audit\n\nClaude Code CLI ${cli}, SDK ${sdk.installed ?? "not installed"} (made for ${sdk.range}).`,
      count === 0 ? "Nothing is new." : `${count} names are new to Skein.`,
      `\n${markdownTable(["vocabulary", "found in", "offered", "known", "new"], rows)}`,
    ].join("\n");
  },
});

/** Options that make the CLI hand over the records of its transcript; its own copy goes to the offline sessions. */
async function collectRecords(see: (type: string) => void): Promise<ClaudeOptions> {
  return {
    persistSession: true,
    env: { CLAUDE_CONFIG_DIR: await makeOfflineConfig() },
    sessionStore: {
      append: async (_, entries) => entries.forEach(({ type }) => see(type)),
      load: async () => null,
    },
  };
}
