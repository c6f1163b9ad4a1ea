/** A line for the `direct` scenario: the model calls Write. */
export function write(name: string, content: string): string {
  return `Write ${JSON.stringify({ file_path: `{{cwd}}/${name}`, content })}`;
}

/** A line for the `direct` scenario: the model calls Bash. */
export function bash(command: string): string {
  return `Bash ${JSON.stringify({ command })}`;
}
