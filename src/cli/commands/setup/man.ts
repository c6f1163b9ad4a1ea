import { z } from "zod";
import { readOwnPackage } from "../../../protocol/index.ts";
import { defineCommand } from "../../define-command.ts";
import { describeWords } from "../../shell/describe-words.ts";
import { manualPage } from "../../shell/manual-page.ts";

export const man = defineCommand({
  name: "man",
  summary: "Print the manual page",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({}),
  data: z.strictObject({ page: z.string().describe("The manual page, in the language of man") }),
  examples: ["man | man -l -", "man > ~/.local/share/man/man1/skein.1"],
  async run(_, context) {
    const page = manualPage(await describeWords(context.commands), readOwnPackage().version);
    await context.print(page, { isForProgram: true });
    return { page };
  },
});
