import type { Rule } from "../../src/offline/index.ts";

/** "Write <name>": the agent writes two files of that name, by two tools at once, looks at both, and says what they hold. */
export const WRITE_AND_LOOK: Rule = {
  when: { prompt: "^Write (?<name>\\w+)" },
  steps: [
    { think: "One file, then a look at it." },
    { say: "Writing {{name}}." },
    {
      call: [
        { tool: "Write", input: { file_path: "{{cwd}}/{{name}}.txt", content: "by {{name}}\n" } },
        {
          tool: "Bash",
          input: { command: "printf made-by-bash > {{cwd}}/{{name}}.bash", description: "Make a file" },
        },
      ],
    },
    { call: { tool: "Bash", input: { command: "cat {{name}}.txt {{name}}.bash", description: "Look at both" } } },
    { say: "They hold: {{result}}" },
  ],
};
