// The parts that the reference pages are made of.

/** A table of fields with what they mean; with `depth`, only those that are not further inside. */
export function fieldTable(fields, depth = Number.POSITIVE_INFINITY) {
  const shown = fields.filter(({ path }) => path.split(".").length < depth);
  const rows = shown.map(({ path, type, isNullable, isRequired, description = "" }) => {
    const kinds = [cell(type), ...(isNullable ? ["null"] : [])].join(" or ");
    return `| \`${path}\` | ${kinds}${isRequired ? "" : ", or absent"} | ${cell(description)} |`;
  });
  if (rows.length === 0) return "No fields.";
  return `| field | type | meaning |\n| --- | --- | --- |\n${rows.join("\n")}`;
}

export function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** Long, and read by few: it opens when it is asked for. */
export function folded(title, schema) {
  return `<details>\n<summary>${title.replaceAll("`", "")}</summary>\n\n\`\`\`json\n${JSON.stringify({ ...schema, $schema: undefined }, null, 2)}\n\`\`\`\n\n</details>`;
}
