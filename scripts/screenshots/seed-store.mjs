// Makes what the pictures and the browser tests of the page show: `node scripts/screenshots/seed-store.mjs <folder>`, after a build. Turns of the real
// command on the offline model, and stories with times and costs of a month; nothing of it is anybody's.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { addNote, Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { seedSearch } from "./seed-search.mjs";
import { seedSessions } from "./seed-sessions.mjs";
import { CHECKOUT_TURNS, SHOP_FILES, workTurn } from "./shop-story.mjs";
import { createStoryClock, createStoryEngine, writeFiles } from "./story-engine.mjs";

const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const [MINUTE, DAY] = [60_000, 86_400_000];
const MONTH_DAYS = 30;
const TURNS_EACH_CONVERSATION = 4;
/** Lies in a folder that was filled to the end. */
const SEEDED = "seeded";

/** Where a seeded store lies, and the variables with which the command uses it. */
export function placesIn(root) {
  const [home, user, work] = ["data", "home", "work"].map((name) => join(root, name));
  const env = {
    PATH: process.env.PATH,
    TMPDIR: process.env.TMPDIR ?? "/tmp",
    HOME: user,
    SKEIN_HOME: home,
    IS_SANDBOX: "1",
  };
  return { home, user, work, env, directory: (name) => join(work, name) };
}

/** Whether a folder was filled before. */
export function isSeeded(root) {
  return existsSync(join(root, SEEDED));
}

/** Fills a folder that is empty. `turns` is how many of the month's turns there are. */
export async function seedStore(root, { nowMs = Date.now(), turns = 72, hasRealTurns = true } = {}) {
  for (const name of ["data", "home", "work"]) mkdirSync(join(root, name), { recursive: true });
  const places = placesIn(realpathSync(root));
  writeFiles(
    { "skein.config.json": `${JSON.stringify({ alerts: { costPerDayUsd: 0.5, errorRate: { above: 0.9 } } })}\n` },
    places.home,
  );
  seedSessions(join(places.user, ".claude"), { nowMs });
  // All come to their end, also where one fails: a branch that is left behind stays mounted.
  const seeded = await Promise.allSettled([
    seedShop(places, { nowMs, turns }),
    seedSearch(places.directory("csv-parser"), { home: places.home, startMs: nowMs - 3 * 60 * MINUTE }),
    hasRealTurns && seedTodo(places),
    hasRealTurns && seedTeam(places),
  ]);
  const failure = seeded.find(({ status }) => status === "rejected");
  if (failure) throw failure.reason;
  writeFiles({ [SEEDED]: "" }, root);
  return places;
}

/** A repository with a history, a month of turns in it, and the conversation that the pictures open. */
async function seedShop({ home, directory }, { nowMs, turns }) {
  const path = directory("shop");
  writeFiles(SHOP_FILES, path);
  makeRepository(path, nowMs);
  const clock = createStoryClock(nowMs - MONTH_DAYS * DAY);
  const { engine, tell } = createStoryEngine("shop", clock);
  const workspace = await Workspace.open(path, { home, clock });
  let conversation;
  for (let number = 0; number < turns; number += 1) {
    const day = nowMs - MONTH_DAYS * DAY + ((number + 0.5) / turns) * (MONTH_DAYS - 0.4) * DAY;
    clock.set(Math.floor(day / DAY) * DAY + (8 + ((number * 5) % 11)) * 60 * MINUTE + ((number * 17) % 60) * MINUTE);
    if (number % TURNS_EACH_CONVERSATION === 0) {
      await conversation?.close();
      conversation = await Conversation.start(workspace, { engine });
    }
    await send(conversation, tell, workTurn(number));
  }
  await conversation?.close();
  writeFiles(SHOP_FILES, path);
  clock.set(nowMs - 55 * MINUTE);
  conversation = await Conversation.start(workspace, { engine });
  for (const [place, story] of CHECKOUT_TURNS.entries()) {
    clock.pass(4 * MINUTE);
    await send(conversation, tell, story);
    await mark(workspace, conversation.tip.id, place);
  }
  await conversation.close();
  await workspace.close();
  writeFiles({ "notes.txt": "by hand: ask Grace about the price list\n" }, path);
}

async function send(conversation, tell, story) {
  tell(story.prompt, story);
  await conversation.send(story.prompt);
}

/** What a person noted on the turns of the conversation that is opened. */
async function mark(workspace, id, place) {
  if (place === 0) {
    await workspace.states.setCheckpoint("checkout-mended", id, {});
    await addNote(workspace, id, {
      rewards: { reward: 1, tests: 1 },
      metadata: { "skein:bookmark": "start of the release" },
    });
  }
  if (place === 1)
    await addNote(workspace, id, {
      metadata: { "skein:remark": "The cache is not used yet: ask Grace before it is." },
    });
}

function makeRepository(path, nowMs) {
  const git = (at, ...args) => {
    const date = `${Math.floor((nowMs - at * DAY) / 1000)} +0000`;
    const names = ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Ada"],
      [`GIT_${who}_EMAIL`, "ada@example.com"],
      [`GIT_${who}_DATE`, date],
    ]);
    execFileSync("git", args, {
      cwd: path,
      env: { PATH: process.env.PATH, HOME: path, ...Object.fromEntries(names) },
      stdio: "ignore",
    });
  };
  git(50, "init", "--quiet", "--initial-branch=main");
  const commits = [
    ["package.json", "Begin a shop"],
    ["src/cart.ts", "Add a cart that adds up"],
    ["src/price.ts", "Show prices"],
    [".", "Add a checkout, with a test"],
  ];
  for (const [place, [file, message]] of commits.entries()) {
    git(48 - place * 4, "add", file);
    git(48 - place * 4, "commit", "--quiet", "--message", message);
  }
}

/** What the offline model does in the turns that go wrong. */
const WRONG = {
  name: "wrong",
  rules: [
    {
      when: { prompt: "whole repository" },
      steps: [{ fail: { type: "http", status: 400, message: "prompt is too long" } }],
    },
    {
      when: { prompt: "soak test" },
      steps: [
        { say: "It takes a minute; I begin." },
        {
          call: {
            tool: "Bash",
            input: { command: "node -e 'setTimeout(() => {}, 60000)'", description: "Run the soak test" },
          },
        },
      ],
    },
  ],
};

/** Turns by the real command and Claude Code on the offline model: one app with tests, one that failed, one that took too long, three ways tried. */
async function seedTodo({ env, work, directory }) {
  const cwd = directory("todo");
  const wrong = join(work, "..", "wrong.json");
  writeFiles({ [wrong]: JSON.stringify(WRONG) });
  const skein = async (...args) => await runSkein([...args, "--cwd", cwd], env);
  await skein("run", "Build a TODO app", "--offline", "--create");
  await skein("run", "Add tests", "--offline", "--continue");
  await skein("run", "Sum up the whole repository, file by file", "--offline", wrong);
  await skein("run", "Run the soak test", "--offline", wrong, "--timeout", "2", "--allowed-tools", "Bash");
  const ways = ["vanilla JS", "React", "Vue"].flatMap((way) => ["--prompt", `Build the UI with ${way}`]);
  await skein("explore", ...ways, "--offline", "--reward", "node --test --test-reporter=tap", "--reward-format", "tap");
}

/** A manager and two workers on the offline model: the first try at adding tasks is sent back by the test. */
async function seedTeam({ env, directory }) {
  const cwd = directory("tasks");
  writeFiles({ "tasks.test.mjs": TASKS_TEST }, cwd);
  const gates = ["--gate", "node --test --test-reporter=spec", "--workers", "2"];
  const args = ["team", "Build a list of tasks", ...gates, "--offline", "team", "--cwd", cwd];
  await promisify(execFile)(process.execPath, [SKEIN, ...args], { env });
}

const TASKS_TEST = `import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";

test("the first task is number 1", { skip: !existsSync("add.mjs") }, async () => {
  const { add } = await import("./add.mjs");
  assert.equal(add("Buy milk").number, 1);
  rmSync("tasks.json");
});
`;

/** A turn that fails ends the command with another code than 0, and is recorded: that is what is wanted here. */
async function runSkein(args, env) {
  try {
    await promisify(execFile)(process.execPath, [SKEIN, ...args], { env });
  } catch (error) {
    if (!/^ +State /mu.test(error.stdout ?? "")) throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const startedMs = performance.now();
  const [root, ...flags] = process.argv.slice(2);
  if (root === undefined) throw new Error("usage: node scripts/screenshots/seed-store.mjs <folder> [--quick]");
  const isQuick = flags.includes("--quick");
  await seedStore(root, isQuick ? { turns: 8, hasRealTurns: false } : {});
  console.log(`seeded ${root} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
}
