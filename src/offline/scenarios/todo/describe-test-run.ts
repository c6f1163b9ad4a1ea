/** Says in one sentence what `node --test` printed; all of it where it holds no counts. */
export function describeTestRun(output: string): string {
  const pass = countOf("pass", output);
  const fail = countOf("fail", output);
  const todo = countOf("todo", output);
  if (pass === undefined || fail === undefined) return `The tests did not run:\n\n${output}`;
  const open = todo ? `, ${todo} still to be written` : "";
  return fail === 0
    ? `All ${pass} tests pass${open}.`
    : `${pass} of ${pass + fail} tests pass and ${fail} ${fail === 1 ? "fails" : "fail"}${open}.`;
}

/** The summary line of a count: `# pass 7` in TAP, `ℹ pass 7` for people. */
function countOf(name: string, output: string): number | undefined {
  const match = new RegExp(`^\\S+ ${name} (\\d+)$`, "m").exec(output);
  return match ? Number(match[1]) : undefined;
}
