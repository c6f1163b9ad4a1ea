import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { writeDurably } from "../../git/index.ts";
import { checkName } from "../usage-error.ts";
import { overridesSchema, type PromptOverrides } from "./prompt-overrides.ts";

/** Which overrides: of one prompt, under one tag, `latest` where it is left out. */
export interface OverrideKey {
  readonly ns: string;
  readonly key: string;
  readonly tag?: string;
}

/** Overrides in files, one for each prompt and tag. */
export interface OverrideStore {
  /** The overrides; undefined where there are none. */
  read(key: OverrideKey): Promise<PromptOverrides | undefined>;
  /** Writes them whole, in the place of what was there. A reader sees the old ones or the new ones, never a mixture. */
  write(overrides: PromptOverrides): Promise<void>;
  /** What there is, of all prompts or of one, sorted. */
  list(prompt?: Omit<OverrideKey, "tag">): Promise<readonly Required<OverrideKey>[]>;
  /** Whether there was something to remove. */
  remove(key: OverrideKey): Promise<boolean>;
}

/** Opens a folder of overrides: `<root>/<ns>/<key>/<tag>.json`. It is made with the first write. */
export function createOverrideStore(root: string): OverrideStore {
  const folder = resolve(root);
  const pathOf = ({ ns, key, tag = "latest" }: OverrideKey): string => {
    const prompt = join(folder, checkName("ns of a prompt", ns), checkName("key of a prompt", key));
    return join(prompt, `${checkName("tag of an override", tag)}.json`);
  };
  return {
    async read(key) {
      const path = pathOf(key);
      const text = await readText(path);
      return text === undefined ? undefined : parse(path, text, { tag: "latest", ...key });
    },
    async write(overrides) {
      const path = pathOf(overrides);
      const text = `${JSON.stringify(check(path, overrides), undefined, 2)}\n`;
      try {
        await mkdir(dirname(path), { recursive: true });
        await writeDurably(path, text, { mode: 0o644 });
      } catch (cause) {
        throw new SkeinError(`The overrides ${path} cannot be written`, { kind: "filesystem", target: path, cause });
      }
    },
    async list(prompt) {
      const found: Required<OverrideKey>[] = [];
      for (const ns of prompt ? [prompt.ns] : await entriesOf(folder)) {
        for (const key of prompt ? [prompt.key] : await entriesOf(join(folder, ns))) {
          const names = await entriesOf(dirname(pathOf({ ns, key })));
          const files = names.filter((name) => name.endsWith(".json"));
          found.push(...files.map((name) => ({ ns, key, tag: basename(name, ".json") })));
        }
      }
      return found;
    },
    async remove(key) {
      const path = pathOf(key);
      if ((await readText(path)) === undefined) return false;
      await rm(path, { force: true });
      return true;
    },
  };
}

/** The names in a folder that can be part of an override's place; half-written files are not. */
async function entriesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  return names.filter((name) => /^[a-z0-9][a-z0-9._-]*$/u.test(name)).toSorted();
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new SkeinError(`The overrides ${path} cannot be read`, { kind: "filesystem", target: path, cause: error });
  });
}

function parse(path: string, text: string, { ns, key, tag }: Required<OverrideKey>): PromptOverrides {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw broken(path, "it is not JSON", cause);
  }
  const overrides = check(path, value);
  if (overrides.ns === ns && overrides.key === key && overrides.tag === tag) return overrides;
  throw broken(path, `it belongs to ${overrides.ns}/${overrides.key}/${overrides.tag}`);
}

function check(path: string, value: unknown): PromptOverrides {
  const parsed = overridesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw broken(path, `${issue?.path.join(".") || "its root"}: ${issue?.message}`, parsed.error);
}

function broken(path: string, why: string, cause?: unknown): SkeinError {
  return new SkeinError(`The overrides ${path} are not in their format: ${why}`, {
    kind: "parse",
    target: path,
    hint: "docs/formats/prompt-overrides.md describes the format; remove the file to do without it",
    cause,
  });
}
