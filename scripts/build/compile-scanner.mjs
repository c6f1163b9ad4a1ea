import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FLAGS = ["--runtime", "stub", "--noAssert", "-O3", "--converge", "--enable", "simd", "--initialMemory", "10", "--use", "abort="];
const TYPES = `/** The scanner of transcripts' lines as WebAssembly, in base64. */\nexport declare const LINE_SCANNER: string;\n`;

/**
 * Compiles `scanner`, which goes over the lines of transcripts, to WebAssembly, and writes it into `folder` as a module: a bundler takes it along
 * then, and nobody has to find a file. The compiler takes a second, so it runs only where a source has changed.
 */
export async function compileScanner(root, folder) {
  const source = join(root, "scanner");
  const names = readdirSync(source).toSorted();
  const hash = createHash("sha256").update(FLAGS.join(" "));
  for (const name of names) hash.update(name).update(readFileSync(join(source, name)));
  const mark = `// Of the sources ${hash.digest("hex")}\n`;
  const written = join(folder, "index.mjs");
  if (existsSync(written) && readFileSync(written, "utf8").startsWith(mark)) return;

  const { default: compiler } = await import("assemblyscript/asc");
  let binary;
  const { error, stderr } = await compiler.main(["scan-lines.ts", "-o", "scanner.wasm", ...FLAGS], {
    readFile: (name) => {
      const path = join(source, name);
      return existsSync(path) ? readFileSync(path, "utf8") : null;
    },
    writeFile: (_name, bytes) => void (binary = bytes),
    listFiles: () => [],
  });
  if (error !== null) throw new Error(`The scanner does not compile:\n${stderr.toString()}`, { cause: error });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.d.mts"), TYPES);
  writeFileSync(written, `${mark}export const LINE_SCANNER = "${Buffer.from(binary).toString("base64")}";\n`);
}
