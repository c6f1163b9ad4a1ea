import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Makes a directory with so many files of about a kilobyte, twenty a folder, and gives their paths. */
export async function makeTree(directory: string, files: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let index = 0; index < files; index += 1) {
    const folder = `package-${Math.floor(index / 400)}/src-${Math.floor(index / 20)}`;
    if (index % 20 === 0) await mkdir(join(directory, folder), { recursive: true });
    paths.push(`${folder}/file-${index}.ts`);
  }
  for (const [index, path] of paths.entries()) {
    await writeFile(join(directory, path), `export const value${index} = ${index * 7919};\n`.repeat(30));
  }
  return paths;
}
