import { z } from "zod";
import { defineCommand } from "../define-command.ts";
import { formatBytes } from "../format-amounts.ts";
import { markdownTable } from "../protocol/markdown-table.ts";
import { findSubsystems, SubsystemData } from "../../protocol/index.ts";

/** Lists the parts of the installed package. */
export const subsystems = defineCommand({
  name: "subsystems",
  summary: "List the parts of the installed package",
  heading: "Reports:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    limit: z.coerce
      .number()
      .int()
      .positive()
      .default(32)
      .meta({ label: "count", description: "List at most this many" }),
  }),
  data: z.strictObject({
    subsystems: z.array(SubsystemData),
    /** How many there are, listed or not. */
    count: z.int(),
  }),
  examples: ["subsystems", "subsystems --output-format json"],
  async run({ limit }) {
    const all = await findSubsystems();
    return { subsystems: all.slice(0, limit), count: all.length };
  },
  format: ({ subsystems: listed, count }) =>
    `# Subsystems (${count})\n\n${markdownTable(
      ["name", "import", "files", "size", "exports"],
      listed.map(({ name, specifier, file_count: files, size_bytes: size, exports }) => [
        name,
        specifier ?? "",
        files,
        formatBytes(size),
        exports.length,
      ]),
    )}`,
});
