// Measures the source tree as a whole: files and lines of each room, public names, import cycles (type-only imports count), the deepest
// chain of imports, and how many files each of a few entries leads to. `npm run house`, or `npm run house -- --json`.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const isTest = (path) => path.endsWith(".test.ts");
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path: join("src", path), text: readFileSync(join("src", path), "utf8") }));
const lineCount = (text) => text.split("\n").length - 1;

const rooms = new Map();
for (const { path, text } of sources) {
  const room = path.split("/").length > 2 ? path.split("/")[1] : "(package)";
  const figures = rooms.get(room) ?? {
    files: 0,
    lines: 0,
    testFiles: 0,
    testLines: 0,
    largestFolder: 0,
    folders: new Map(),
  };
  if (isTest(path)) {
    figures.testFiles += 1;
    figures.testLines += lineCount(text);
  } else {
    figures.files += 1;
    figures.lines += lineCount(text);
    figures.folders.set(dirname(path), (figures.folders.get(dirname(path)) ?? 0) + 1);
    figures.largestFolder = Math.max(...figures.folders.values());
  }
  rooms.set(room, figures);
}

for (const figures of rooms.values()) delete figures.folders;

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*)"(\.[^"]+)"/gu;
const graph = new Map(
  sources
    .filter(({ path }) => !isTest(path))
    .map(({ path, text }) => [
      path,
      [...new Set([...text.matchAll(IMPORT)].map(([, target]) => normalize(join(dirname(path), target))))],
    ]),
);

/** The groups of files that import each other, whatever way around: more than one file each. */
function findCycles() {
  const [order, seen] = [[], new Set()];
  const visit = (start, next, done) => {
    const stack = [[start, 0]];
    seen.add(start);
    while (stack.length > 0) {
      const top = stack.at(-1);
      const target = next(top[0])[top[1]];
      top[1] += 1;
      if (target === undefined) done(stack.pop()[0]);
      else if (graph.has(target) && !seen.has(target)) {
        seen.add(target);
        stack.push([target, 0]);
      }
    }
  };
  for (const path of graph.keys())
    if (!seen.has(path))
      visit(
        path,
        (at) => graph.get(at),
        (at) => order.push(at),
      );
  const importers = new Map([...graph.keys()].map((path) => [path, []]));
  for (const [path, targets] of graph) for (const target of targets) importers.get(target)?.push(path);
  seen.clear();
  const groups = [];
  for (const path of order.toReversed()) {
    if (seen.has(path)) continue;
    const group = [];
    visit(
      path,
      (at) => importers.get(at),
      (at) => group.push(at),
    );
    groups.push(group);
  }
  return groups;
}

const groups = findCycles();
const groupOf = new Map(groups.flatMap((group, index) => group.map((path) => [path, index])));
const depths = new Map();
/** How many files lie on the longest way down from a group; a group that imports itself in a circle counts as one step. */
function depthOf(index) {
  if (depths.has(index)) return depths.get(index);
  const targets = groups[index].flatMap((path) => graph.get(path)).map((path) => groupOf.get(path));
  const below = targets.filter((target) => target !== undefined && target !== index).map(depthOf);
  const depth = 1 + Math.max(0, ...below);
  depths.set(index, depth);
  return depth;
}

const IS_DOOR = /^src\/[^/]+\/(?:index|internal)\.ts$/u;
const NAMED = /(?:import|export)\s+(type\s+)?\{([^}]*)\}\s+from\s+"(\.[^"]+)"/gu;

/** The names that a text imports or exports by braces, with the file that each is from. */
function namesIn({ path, text }) {
  return [...text.matchAll(NAMED)].flatMap(([, isType, list, target]) =>
    list
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean)
      .map((each) => ({
        isType: isType !== undefined || each.startsWith("type "),
        name: each.replace(/^type /u, "").split(" as ")[0],
        shown: each
          .replace(/^type /u, "")
          .split(" as ")
          .at(-1),
        from: normalize(join(dirname(path), target)),
      })),
  );
}

const doors = new Map(sources.filter(({ path }) => IS_DOOR.test(path)).map((door) => [door.path, namesIn(door)]));

/** The files that one needs when it runs: through a door only those of the names that are asked for; types need nothing. */
function neededBy({ path, text }) {
  const named = namesIn({ path, text }).filter(({ isType }) => !isType);
  const byDoor = named.flatMap(({ name, from }) => doors.get(from)?.find(({ shown }) => shown === name)?.from ?? []);
  const own = [...text.replaceAll(/import type [^;]*;/gu, "").matchAll(IMPORT)]
    .map(([, target]) => normalize(join(dirname(path), target)))
    .filter(
      (target) => !doors.has(target) && (named.some(({ from }) => from === target) || !hasBraces(text, target, path)),
    );
  return [...new Set([...byDoor, ...own])];
}

function hasBraces(text, target, path) {
  return namesIn({ path, text }).some(({ from }) => from === target);
}

const needed = new Map(sources.filter(({ path }) => !isTest(path)).map((source) => [source.path, neededBy(source)]));

function closureOf(entry) {
  const seen = new Set([entry]);
  for (const path of seen) for (const target of needed.get(path) ?? []) if (needed.has(target)) seen.add(target);
  return needed.has(entry) ? seen.size : undefined;
}

const ENTRIES = {
  run: "src/cli/commands/agents/run.ts",
  undo: "src/cli/commands/states/restore-recover.ts",
  explore: "src/cli/commands/agents/explore.ts",
  evaluate: "src/prompt/adapter/claude-agent-sdk-adapter.ts",
  stats: "src/cli/commands/transcripts/stats-watch.ts",
};

const published = Object.values(JSON.parse(readFileSync("package.json", "utf8")).exports)
  .map((entry) => (entry.types ?? entry.default ?? "").replace(/^\.\/dist\//u, "src/").replace(/\.d\.ts$/u, ".ts"))
  .filter((path) => path.startsWith("src/"));
const names = Object.fromEntries(
  published.map((path) => [path, namesIn(sources.find((source) => source.path === path)).length]),
);
const all = [...rooms.values()];
const sum = (figure) => all.reduce((total, each) => total + each[figure], 0);
const result = {
  total: { files: sum("files"), lines: sum("lines"), testFiles: sum("testFiles"), testLines: sum("testLines") },
  rooms: Object.fromEntries(rooms),
  publicNames: { total: Object.values(names).reduce((total, each) => total + each, 0), byDoor: names },
  cycles: groups
    .filter((group) => group.length > 1)
    .map((group) => group.length)
    .toSorted((a, b) => b - a),
  deepestChain: Math.max(...groups.map((_, index) => depthOf(index))),
  closures: Object.fromEntries(Object.entries(ENTRIES).map(([name, entry]) => [name, closureOf(entry)])),
};
if (process.argv.includes("--json")) console.log(JSON.stringify(result, undefined, 2));
else {
  console.table(result.rooms);
  console.log(JSON.stringify({ ...result, rooms: undefined }, undefined, 1));
}
