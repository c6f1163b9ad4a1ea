import { defineScenario, type Scenario, type Step } from "./scenario.ts";

const STORE = `import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const load = () => (existsSync("tasks.json") ? JSON.parse(readFileSync("tasks.json", "utf8")) : []);

export const save = (tasks) => writeFileSync("tasks.json", JSON.stringify(tasks));
`;

const ADD = `import { load, save } from "./store.mjs";

export function add(title) {
  const tasks = load();
  const task = { number: tasks.length, title };
  save([...tasks, task]);
  return task;
}
`;

const LIST = `import { load } from "./store.mjs";

export const list = () => load().map(({ number, title }) => \`\${number}. \${title}\`);
`;

const PLAN = {
  items: [
    {
      id: "store",
      title: "Keep the tasks in a file",
      description: "Write store.mjs: load() and save(tasks) keep an array of tasks in tasks.json.",
      acceptanceCriteria: ["load() gives what save() was given"],
      priority: 1,
      estimatedEffort: "small",
    },
    {
      id: "add",
      title: "Add tasks",
      description: "Write add.mjs: add(title) appends a task with a number of its own, from 1.",
      acceptanceCriteria: ["The first task is number 1"],
      dependencies: ["store"],
      priority: 2,
      estimatedEffort: "small",
    },
    {
      id: "list",
      title: "List tasks",
      description: "Write list.mjs: list() gives a line for each task.",
      acceptanceCriteria: ["A line for each task"],
      dependencies: ["store"],
      priority: 2,
      estimatedEffort: "small",
    },
  ],
  protect: ["*.test.mjs"],
};

function writes(file: string, content: string, claim: string): readonly Step[] {
  return [{ call: { tool: "Write", input: { file_path: `{{cwd}}/${file}`, content } } }, { say: claim }];
}

/** Plays a manager and its workers. The first try at adding tasks numbers them from 0, and says that all is well. */
export const teamScenario: Scenario = defineScenario({
  name: "team",
  rules: [
    {
      name: "plan",
      when: { prompt: /^Plan the work of a team/u },
      steps: [
        { think: "Where the tasks are kept comes first; the two functions need nothing of each other." },
        { output: PLAN },
      ],
    },
    {
      name: "review",
      when: { prompt: /^Review the work on an item/u },
      steps: [{ output: { approved: true, issues: [], requiredChanges: [] } }],
    },
    {
      name: "remedy",
      when: { prompt: /^Decide what becomes of an item/u },
      steps: [{ output: { action: "done", reason: "It is there already" } }],
    },
    {
      name: "store",
      when: { prompt: /^Do one item of a plan[^\n]*\(store\)/u },
      steps: writes("store.mjs", STORE, "The tasks are kept in tasks.json."),
    },
    {
      name: "add",
      when: { prompt: /^Do one item of a plan[^\n]*\(add\)/u },
      steps: writes("add.mjs", ADD, "Tasks can be added, and all tests pass."),
    },
    {
      name: "add again",
      when: { prompt: /^Not approved yet: Add tasks/u },
      steps: [
        { call: { tool: "Read", input: { file_path: "{{cwd}}/add.mjs" } } },
        {
          call: {
            tool: "Edit",
            input: {
              file_path: "{{cwd}}/add.mjs",
              old_string: "number: tasks.length,",
              new_string: "number: tasks.length + 1,",
            },
          },
        },
        { say: "The numbers begin at 1 now." },
      ],
    },
    {
      name: "list",
      when: { prompt: /^Do one item of a plan[^\n]*\(list\)/u },
      steps: writes("list.mjs", LIST, "Tasks can be listed."),
    },
  ],
  otherwise: [{ say: 'This scenario plays a manager and its workers: skein team "Build a list of tasks"' }],
});
