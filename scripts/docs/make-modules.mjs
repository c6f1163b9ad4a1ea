const SUFFIX = { ts: ".ts", js: ".mjs" };

/**
 * The TypeScript and JavaScript blocks of a page as modules: a block that continues another one is in its module. Each line knows where
 * it stands in the page.
 */
export function makeModules(page, blocks, number) {
  const modules = [];
  for (const block of blocks) {
    if (SUFFIX[block.language] === undefined) continue;
    const lines = [
      ...block.before.map((text, at) => ({ text, line: block.beforeLine + at })),
      ...block.code.map((text, at) => ({ text, line: block.line + at })),
    ];
    const previous = modules.findLast(({ language }) => language === block.language);
    if (block.continues && previous === undefined)
      throw new Error(`${page}:${block.line}: there is no block to continue`);
    if (block.continues) {
      previous.lines.push(...lines);
      previous.blocks.push(block);
    } else {
      const name = `page${number}-${modules.length}`;
      // Without an import or export, a file would be a script, in which nothing can be awaited.
      const end = { text: "export {};", line: block.line };
      modules.push({
        page,
        name,
        file: name + SUFFIX[block.language],
        language: block.language,
        lines: [end, ...lines],
        blocks: [block],
      });
    }
  }
  return modules;
}
