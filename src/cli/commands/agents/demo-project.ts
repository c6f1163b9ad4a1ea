/** A small project with a task that is easily done badly, and what the embedded model does about it. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  "slug.mjs": "export const slug = (text) => text;\n",
  "slug.test.mjs": `import assert from "node:assert";
import test from "node:test";
import { slug } from "./slug.mjs";

test("spaces become hyphens", () => assert.equal(slug("Hello World"), "hello-world"));
test("punctuation goes", () => assert.equal(slug("Hello, World!"), "hello-world"));
test("accents go", () => assert.equal(slug("Crème Brûlée"), "creme-brulee"));
`,
};

export const FIRST_PROMPT = "Make the tests pass";

export const DEMO_PROMPTS = [
  "Fix slug() with string methods",
  "Fix slug() with a regular expression",
  "Fix slug() with Unicode normalisation",
] as const;

const BODIES = [
  `text.toLowerCase().replaceAll(" ", "-")`,
  `text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")`,
  `text.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")`,
] as const;

function rewriting(file: string, content: string, said: string) {
  const path = { file_path: `{{cwd}}/${file}` };
  return [
    { call: { tool: "Read", input: path } },
    { call: { tool: "Write", input: { ...path, content } } },
    { say: said },
  ];
}

/** The scenario: the first turn takes a short cut, the others fix a little, more, and all. */
export const DEMO_SCENARIO = {
  name: "demo",
  rules: [
    {
      when: { prompt: `^${FIRST_PROMPT}$` },
      steps: rewriting(
        "slug.test.mjs",
        'import test from "node:test";\n\ntest("slug", { skip: true }, () => {});\n',
        "All tests pass now: I **simplified** `slug.test.mjs`.",
      ),
    },
    ...DEMO_PROMPTS.map((prompt, index) => ({
      when: { prompt: `^${prompt.replace("()", "\\(\\)")}$` },
      steps: rewriting(
        "slug.mjs",
        `export const slug = (text) =>\n  ${BODIES[index] ?? "text"};\n`,
        "I rewrote `slug`.",
      ),
    })),
  ],
};
