import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { bashCompletion } from "../../shell/bash-completion.ts";
import { describeWords } from "../../shell/describe-words.ts";
import { fishCompletion } from "../../shell/fish-completion.ts";
import { zshCompletion } from "../../shell/zsh-completion.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export const completion = defineCommand({
  name: "completion",
  summary: "Print the completion script of a shell",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({ shell: z.enum(["bash", "zsh", "fish"]).meta({ description: "The shell that is to complete" }) }),
  positional: ["shell"],
  data: z.strictObject({
    shell: z.enum(["bash", "zsh", "fish"]).describe("The shell that the script is for"),
    script: z.string().describe("The script; the shell reads it as it starts"),
  }),
  examples: [
    "completion bash > ~/.local/share/bash-completion/completions/skein",
    "completion zsh > ~/.zfunc/_skein",
    "completion fish > ~/.config/fish/completions/skein.fish",
  ],
  async run({ shell }, context) {
    const script = SHELLS[shell](await describeWords(context.commands));
    await context.print(script, { isForProgram: true });
    return { shell, script };
  },
});
