import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Makes a list of sentences, each with its check, of checks by their sentences. */
export function contractOf<Check>(
  checks: Readonly<Record<string, Check>>,
): readonly { readonly name: string; readonly check: Check }[] {
  return Object.entries(checks).map(([name, check]) => ({ name, check }));
}

/** Writes a file for a check, and the folders above it. */
export async function write(directory: string, path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
  await chmod(join(directory, path), mode);
}
