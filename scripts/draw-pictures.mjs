// Draws the pictures of the README from real runs: `npm run build && node scripts/draw-pictures.mjs`. Needs `script` of util-linux.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const COLUMNS = 92;
const CELL = { width: 7.8, height: 19 };
const PADDING = 22;
const FOLDER = "docs/pictures";
/** Where the second half of the demo begins. */
const BRANCHES = "Now three ways side by side";
const COLORS = { 31: "#f47067", 32: "#57ab5a", 33: "#d9a441", 34: "#539bf5", 35: "#b083f0", 36: "#39c5cf" };

const root = mkdtempSync(join(tmpdir(), "skein-pictures-"));
const skein = `node ${resolve("dist/cli/main.js")}`;

/** What a command wrote on a terminal, as it wrote it. */
function record(command, cwd) {
  const log = join(root, "log");
  const env = { ...process.env, HOME: root, SKEIN_HOME: join(root, "skein"), TERM: "xterm-256color" };
  execFileSync("script", ["--quiet", "--return", "--command", `stty cols ${COLUMNS} rows 200; ${command}`, log], {
    cwd,
    env,
    stdio: "ignore",
  });
  const text = readFileSync(log, "utf8");
  return text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\nScript done"));
}

/** A sequence that steers the terminal, or a letter. */
const STEP = new RegExp(`${String.fromCodePoint(27)}\\[([\\d;?]*)([A-Za-z])|([\\s\\S])`, "gu");

/** The lines of cells that a terminal shows in the end. */
function toScreen(text) {
  const lines = [[]];
  let [row, column, style] = [0, 0, {}];
  for (const [, codes, final, letter] of text.matchAll(STEP)) {
    if (letter === "\n") lines[(row += 1)] ??= [];
    else if (letter === "\r") column = 0;
    else if (letter !== undefined) lines[row][column++] = { letter, style };
    else if (final === "m") style = codes.split(";").reduce(toStyle, style);
    else if (final === "A") row = Math.max(0, row - Number(codes || 1));
    else if (final === "K") lines[row] = codes === "2" ? [] : lines[row].slice(0, column);
    else if (final === "J") {
      lines.length = row + 1;
      lines[row] = lines[row].slice(0, column);
    }
  }
  return lines;
}

function toStyle(style, code) {
  const number = Number(code);
  if (number === 0) return {};
  if (number === 1) return { ...style, bold: true };
  if (number === 2) return { ...style, dim: true };
  if (number === 22) return { ...style, bold: false, dim: false };
  if (number === 39) return { ...style, color: undefined };
  return { ...style, color: COLORS[number] ?? style.color };
}

const escapeText = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** One line as SVG: each run of one style is placed by itself, so that no font can move what comes after. */
function drawLine(line, row) {
  const cells = line.slice(0, COLUMNS);
  const runs = [];
  for (let column = 0; column < cells.length; column += 1) {
    const { letter, style } = cells[column] ?? { letter: " ", style: {} };
    const last = runs.at(-1);
    if (last && last.style === style && !/ {2}$/u.test(last.text)) last.text += letter;
    else runs.push({ column, style, text: letter });
  }
  const y = PADDING + 26 + row * CELL.height;
  return runs
    .filter(({ text }) => text.trim() !== "")
    .map(({ column, style, text }) => {
      const lead = text.length - text.trimStart().length;
      const x = (PADDING + (column + lead) * CELL.width).toFixed(1);
      const words = text.trim();
      const look = [
        style.color && `fill="${style.color}"`,
        style.bold && `font-weight="600"`,
        style.dim && `opacity="0.6"`,
      ];
      const length = `textLength="${(words.length * CELL.width).toFixed(1)}"`;
      return `<text x="${x}" y="${y}" ${length} ${look.filter(Boolean).join(" ")}>${escapeText(words)}</text>`;
    })
    .join("");
}

const textOf = (cells) => cells.map((cell) => cell?.letter ?? " ").join("");

/** The lines from one that holds a text up to one that holds another. */
function part(lines, from, to) {
  const place = (text) => lines.findIndex((cells) => textOf(cells).includes(text));
  return lines.slice(from === undefined ? 0 : place(from), place(to));
}

function draw(name, title, drawn) {
  const lines = [...drawn];
  while (lines.at(-1)?.length === 0) lines.pop();
  while (lines[0]?.length === 0) lines.shift();
  const width = PADDING * 2 + COLUMNS * CELL.width;
  const height = PADDING * 2 + 20 + lines.length * CELL.height;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="#1c2128"/>`,
    ...["#f47067", "#d9a441", "#57ab5a"].map(
      (fill, at) => `<circle cx="${PADDING + at * 18}" cy="20" r="5" fill="${fill}"/>`,
    ),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#cdd9e5" xml:space="preserve">`,
    ...lines.map(drawLine).filter(Boolean),
    "</g></svg>\n",
  ].join("\n");
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.svg`), svg);
  console.log(`${FOLDER}/${name}.svg: ${lines.length} lines`);
}

/** A command as a person types it, before what it wrote. */
const typed = (command) => `\u001b[36m$\u001b[39m \u001b[1m${command}\u001b[22m\r\n`;

try {
  const project = join(root, "slug");
  const shown = record(`${skein} demo --cwd slug`, root).replaceAll(project, "./slug");
  const screen = toScreen(`${typed("skein demo")}${shown}`);
  draw("demo", "A run, its diff, and how it is taken back", part(screen, undefined, BRANCHES));
  const tree = toScreen(`${typed("skein tree")}\r\n${record(`${skein} tree`, project)}`);
  draw("explore", "Three tries of one task, the best adopted, and the tree of states", [
    ...part(screen, BRANCHES, "What next"),
    ...tree,
  ]);
} finally {
  rmSync(root, { recursive: true, force: true });
}
