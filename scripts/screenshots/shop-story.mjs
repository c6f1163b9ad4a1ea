import { drawChart } from "./draw-chart.mjs";

/** A small shop: what lies in it before anybody works on it. */
export const SHOP_FILES = {
  "package.json": `{\n  "name": "shop",\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}\n`,
  "README.md": "# Shop\n\nA small shop: a cart, prices, a checkout.\n",
  "src/cart.ts":
    "export interface Item {\n  readonly name: string;\n  readonly cents: number;\n  readonly count: number;\n}\n\nexport function total(items: readonly Item[]): number {\n  let sum = 0;\n  for (const item of items) {\n    sum += item.cents * item.count;\n  }\n  return sum;\n}\n",
  "src/price.ts":
    "/** A price as people read it. */\nexport function price(cents: number): string {\n  return `$${(cents / 100).toFixed(2)}`;\n}\n",
  "src/checkout.ts":
    'import { total, type Item } from "./cart.ts";\n\nexport async function checkout(items: readonly Item[], pay: (cents: number) => Promise<string>): Promise<string> {\n  const payment = pay(total(items));\n  await new Promise((resolve) => setTimeout(resolve, 50));\n  return `paid: ${await payment}`;\n}\n',
  "test/checkout.test.ts":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { checkout } from "../src/checkout.ts";\n\ntest("pays the total", async () => {\n  const items = [{ name: "tea", cents: 320, count: 2 }];\n  assert.equal(await checkout(items, async (cents) => `${cents} cents`), "paid: 640 cents");\n});\n',
};

const todos = (...states) =>
  [
    ["Find out why the test fails", "Finding out why the test fails"],
    ["Wait for the payment instead of the clock", "Waiting for the payment"],
    ["Run the tests twenty times", "Running the tests"],
  ].map(([content, activeForm], place) => ({ content, activeForm, status: states[place] }));

const FLAKY = {
  prompt: "The checkout test fails on every third run. Find out why, and mend it",
  costUsd: 0.3172,
  seconds: 94,
  tokens: 4,
  steps: [
    {
      think:
        "A test that fails on every third run depends on time or on order. `checkout` waits 50 ms and not for the payment, so I should look at what it awaits, and who else calls it.",
    },
    { say: "I will look at what the checkout waits for, and let a helper see who else relies on it." },
    {
      call: "TodoWrite",
      input: { todos: todos("in_progress", "pending", "pending") },
      output: "Todos have been modified",
    },
    {
      call: "Grep",
      input: { pattern: "setTimeout|checkout\\(", path: "src" },
      output:
        "src/checkout.ts:3:export async function checkout(\nsrc/checkout.ts:5:  await new Promise((resolve) => setTimeout(resolve, 50));",
    },
    { call: "Read", input: { file_path: "src/checkout.ts" }, output: numbered(SHOP_FILES["src/checkout.ts"]) },
    {
      call: "Agent",
      input: {
        description: "Who calls checkout",
        prompt: "List every caller of checkout(), and whether it relies on the wait of 50 ms",
        subagent_type: "Explore",
      },
      output: "Only `test/checkout.test.ts` calls it. Nothing relies on the wait.",
      agent: {
        id: "a7c31e02",
        steps: [
          { call: "Grep", input: { pattern: "checkout\\(" }, output: "src/checkout.ts:3\ntest/checkout.test.ts:7" },
          {
            call: "Read",
            input: { file_path: "test/checkout.test.ts" },
            output: numbered(SHOP_FILES["test/checkout.test.ts"]),
          },
          { say: "Only `test/checkout.test.ts` calls it. Nothing relies on the wait." },
        ],
      },
    },
    {
      call: "Bash",
      input: { command: "for run in 1 2 3; do node --test; done", description: "Run the tests three times" },
      output:
        "ok 1 - pays the total\nok 1 - pays the total\nnot ok 1 - pays the total\n  error: 'test timed out after 50ms'",
      isError: true,
    },
    {
      call: "TodoWrite",
      input: { todos: todos("completed", "in_progress", "pending") },
      output: "Todos have been modified",
    },
    {
      call: "Edit",
      input: {
        file_path: "src/checkout.ts",
        old_string:
          "  const payment = pay(total(items));\n  await new Promise((resolve) => setTimeout(resolve, 50));\n  return `paid: ${await payment}`;",
        new_string: "  const payment = await pay(total(items));\n  return `paid: ${payment}`;",
      },
      output: "The file src/checkout.ts has been updated.",
    },
    {
      call: "Bash",
      input: {
        command: "for run in $(seq 20); do node --test --test-reporter=dot; done",
        description: "Run the tests twenty times",
      },
      output: "....................\n20 of 20 passed",
    },
    {
      call: "TodoWrite",
      input: { todos: todos("completed", "completed", "completed") },
      output: "Todos have been modified",
    },
    {
      say: "The test was flaky because `checkout` waited **50 ms** instead of for the payment: on a busy machine the payment came later.\n\n| before | after |\n| --- | --- |\n| waits for the clock | waits for `pay` |\n| 2 of 3 runs passed | 20 of 20 runs passed |\n\n```ts\nconst payment = await pay(total(items));\nreturn `paid: ${payment}`;\n```\n\nNothing else relied on the wait.",
    },
  ],
};

const CHART = {
  prompt: "The chart in docs/latency.png has one slow request. Which one is it, and what should we do?",
  costUsd: 0.0841,
  seconds: 21,
  tokens: 2,
  steps: [
    {
      call: "Read",
      input: { file_path: "docs/latency.png" },
      output: [
        {
          type: "image",
          source: {
            type: "base64",
            media_type: "image/png",
            data: drawChart([12, 15, 11, 14, 16, 13, 62, 15, 12, 17, 14, 13]),
          },
        },
      ],
    },
    {
      think: "The seventh bar is four times as high as the others. The seventh request of the trace is the price list.",
    },
    {
      call: "Bash",
      input: { command: "grep -n 'prices' logs/requests.txt | head -3" },
      output: "7: GET /prices 62 ms\n19: GET /prices 58 ms\n31: GET /prices 61 ms",
    },
    {
      call: "Write",
      input: {
        file_path: "src/price-cache.ts",
        content:
          "const known = new Map<string, string>();\n\n/** Makes a price list once. */\nexport function cached(key: string, make: () => string): string {\n  const made = known.get(key) ?? make();\n  known.set(key, made);\n  return made;\n}\n",
      },
      output: "File created",
    },
    {
      say: "It is the **price list**: 62 ms, where the others take 11 to 17. I added a small cache for it in `src/price-cache.ts`; it is not used yet.",
    },
  ],
};

const YEN = {
  prompt: "Show prices in yen too, and write a test for it",
  costUsd: 0.019,
  seconds: 12,
  fails: { kind: "overloaded", message: "The API was overloaded (529) ten times in a row" },
  steps: [{ call: "Read", input: { file_path: "src/price.ts" }, output: numbered(SHOP_FILES["src/price.ts"]) }],
};

const YEN_AGAIN = {
  prompt: "Show prices in yen too, and write a test for it. The API was busy before",
  costUsd: 0.1406,
  seconds: 37,
  model: "claude-opus-4-1-20250805",
  steps: [
    {
      call: "Edit",
      input: {
        file_path: "src/price.ts",
        old_string: "  return `$${(cents / 100).toFixed(2)}`;\n}",
        new_string:
          '  return `$${(cents / 100).toFixed(2)}`;\n}\n\n/** A price in yen, which has no smaller part. */\nexport function yen(amount: number): string {\n  return `¥${Math.round(amount).toLocaleString("en-US")}`;\n}',
      },
      output: "The file src/price.ts has been updated.",
    },
    {
      call: "Write",
      input: {
        file_path: "test/price.test.ts",
        content:
          'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { yen } from "../src/price.ts";\n\ntest("has no smaller part than a yen", () => assert.equal(yen(1234.4), "¥1,234"));\n',
      },
      output: "File created",
    },
    {
      call: "Bash",
      input: { command: "node --test" },
      output: "ok 1 - has no smaller part than a yen\nok 2 - pays the total",
    },
    { say: "Prices can be shown in yen: `yen(1234.4)` is `¥1,234`. Both tests pass." },
  ],
};

/** The conversation that the pictures open, turn by turn. */
export const CHECKOUT_TURNS = [FLAKY, CHART, YEN, YEN_AGAIN];

const WORK = [
  ["Rename total to totalCents, everywhere", "src/cart.ts", "Renamed in three files; all tests pass."],
  [
    "Explain how the cart adds up its items, in two sentences",
    undefined,
    "It multiplies the cents of each item by its count. Nothing is rounded, since all are whole cents.",
  ],
  [
    "Refuse an item with a negative count",
    "src/cart.ts",
    "An item with a negative count is refused with a `RangeError` that names it.",
  ],
  [
    "Write down how to run the shop on a new machine",
    "README.md",
    "The README has three steps now: install, test, start.",
  ],
  [
    "Add a discount of ten percent for orders above $50",
    "src/discount.ts",
    "Orders above $50 cost ten percent less. The bound itself is not above.",
  ],
  [
    "Why does the build take 40 seconds? Make it faster",
    "tsconfig.json",
    "It compiled the tests twice. It takes 14 seconds now.",
  ],
  [
    "Let people change the count of an item in the cart",
    "src/cart.ts",
    "The count can be changed; 0 takes the item away.",
  ],
  [
    "Translate the error messages into German",
    "src/messages.ts",
    "All eleven messages are in German; those for programs stay as they are.",
  ],
  [
    "Check the contrast of the buttons and mend what is below 4.5",
    "src/theme.css",
    "Two buttons had 3.9: they have 5.2 now.",
  ],
  ["Remove what nobody calls any more", "src/old-cart.ts", "Four functions and one file are gone. All tests pass."],
];

/** One of many turns of a month, by its number: what it reads, changes and costs. */
export function workTurn(number) {
  const [prompt, file, answer] = WORK[number % WORK.length];
  const model = [
    "claude-sonnet-4-5-20250929",
    "claude-sonnet-4-5-20250929",
    "claude-opus-4-1-20250805",
    "claude-haiku-4-5-20251001",
  ][(number * 7) % 4];
  const dear = { "claude-opus-4-1-20250805": 5, "claude-haiku-4-5-20251001": 0.3 }[model] ?? 1;
  const busy = 1 + ((number * 37) % 17) / 4;
  const fails =
    number % 13 === 6 ? { kind: "rate_limit", message: "The API refused: too many requests (429)" } : undefined;
  return {
    prompt: number < WORK.length ? prompt : `${prompt} (${Math.floor(number / WORK.length) + 1})`,
    model,
    costUsd: Math.round(dear * busy * 210) / 10_000,
    seconds: Math.round(9 * busy),
    tokens: busy,
    ...(fails ? { fails } : {}),
    steps: [
      { think: "The smallest change that will do, and then the tests." },
      { call: "Read", input: { file_path: "src/cart.ts" }, output: numbered(SHOP_FILES["src/cart.ts"]) },
      ...(file
        ? [
            {
              call: "Write",
              input: { file_path: file, content: `${SHOP_FILES[file] ?? "export {};\n"}${note(file, number)}` },
              output: "File written",
            },
          ]
        : []),
      {
        call: "Bash",
        input: { command: "node --test" },
        output: number % 5 === 3 ? "not ok 1 - pays the total" : "ok 1 - pays the total",
        isError: number % 5 === 3,
      },
      ...(fails ? [] : [{ say: answer }]),
    ],
  };
}

function note(file, number) {
  if (file.endsWith(".md")) return `\n## Step ${number}\n\nnpm install, npm test, npm start.\n`;
  return file.endsWith(".css") ? `\n.button-${number} { color: #1a1d29; }\n` : `\n/* changed in turn ${number} */\n`;
}

function numbered(text) {
  return text
    .trimEnd()
    .split("\n")
    .map((line, place) => `${String(place + 1).padStart(6)}→${line}`)
    .join("\n");
}
