/** What a comment before a block may say; `before` has lines of code, the others a word or a reason. */
const DIRECTIVE = /^<!-- docs: (before|not run|exits|continues)\b[,:]?[ \n]?([\s\S]*?)\s*-->$/;

/**
 * The code blocks of a page, each with the line it begins at and with what the comments right before it say:
 *
 * - `<!-- docs: before … -->`: code in the block's language that the reader need not see, such as what makes `workspace`
 * - `<!-- docs: continues -->`: the block goes on from the one before it in the same language
 * - `<!-- docs: not run, <reason> -->`: it is checked, but needs what a throw-away folder has not
 * - `<!-- docs: exits 1 -->`: what a shell block ends with
 */
export function readBlocks(page, text) {
  const blocks = [];
  const lines = text.split("\n");
  let comments = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const indent = line.length - line.trimStart().length;
    if (line.startsWith("<!--", indent)) {
      const end = lines.findIndex((other, index) => index >= at && other.includes("-->"));
      if (end === -1) throw new Error(`${page}:${at + 1}: the comment does not end`);
      const comment = lines.slice(at, end + 1).map((inner) => inner.slice(indent));
      comments.push({ line: at + 1, text: comment.join("\n") });
      at = end;
      continue;
    }
    const fence = /^(\s*)(`{3,})(\w+)?/.exec(line);
    if (fence) {
      const end = lines.findIndex((other, index) => index > at && other.trim() === fence[2]);
      if (end === -1) throw new Error(`${page}:${at + 1}: the block does not end`);
      const code = lines.slice(at + 1, end).map((inner) => inner.slice(fence[1].length));
      blocks.push({ page, line: at + 2, language: fence[3] ?? "text", code, ...readDirectives(page, comments) });
      at = end;
    }
    if (line.trim() !== "" || fence) comments = [];
  }
  return blocks;
}

function readDirectives(page, comments) {
  const said = { before: [], beforeLine: 0, continues: false, notRun: undefined, exits: 0 };
  for (const { line, text } of comments) {
    if (!text.startsWith("<!-- docs:")) continue;
    const [, name, rest = ""] = DIRECTIVE.exec(text) ?? [];
    if (name === "before") Object.assign(said, { before: rest.split("\n"), beforeLine: line + 1 });
    else if (name === "continues") said.continues = true;
    else if (name === "exits") said.exits = Number(rest);
    else if (name === "not run" && rest !== "") said.notRun = rest;
    else throw new Error(`${page}:${line}: not a comment that is known here, or one without a reason: ${text}`);
  }
  return said;
}
