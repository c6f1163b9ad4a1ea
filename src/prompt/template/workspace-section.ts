import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  checkMounts,
  copyMount,
  createHeldFolder,
  HostMount,
  type HostMountOptions,
  type MountPreview,
} from "../../isolation/internal.ts";
import { usageError } from "../usage-error.ts";
import { hashText } from "./prompt-descriptor.ts";
import { Section, type RenderContext, type SectionOptions } from "./section.ts";

const SHOWN_ENTRIES = 20;

/** What a workspace section is made of. */
export interface WorkspaceSectionOptions extends Partial<Omit<SectionOptions<object>, "children">> {
  /** What of the host is copied in. */
  readonly mounts?: readonly HostMountOptions[];
  /** Folders that mounts may come from; an empty list, the default, allows all of the host. */
  readonly allowedHostRoots?: readonly string[];
  /** Where the directory is made; the folder for temporary files by default. */
  readonly folder?: string;
}

/** A directory that was made for a section; disposing of it removes it. */
export interface SectionDirectory extends AsyncDisposable {
  readonly path: string;
  readonly previews: readonly MountPreview[];
}

/** A directory to work in, filled with copies from the host, and the part of the prompt that tells what is in it. */
export class WorkspaceSection extends Section {
  readonly mounts: readonly HostMount[];
  readonly allowedHostRoots: readonly string[];
  readonly #folder: string | undefined;
  #opening: Promise<SectionDirectory> | undefined;
  #opened: SectionDirectory | undefined;

  constructor(options: WorkspaceSectionOptions = {}) {
    const { mounts = [], allowedHostRoots = [], folder, title = "Workspace", key = "workspace", ...rest } = options;
    super({ ...rest, title, key });
    this.mounts = Object.freeze(mounts.map((mount) => HostMount(mount)));
    this.allowedHostRoots = Object.freeze([...allowedHostRoots]);
    this.#folder = folder;
  }

  /** The same for sections with the same mounts: 16 digits over what they are, not over what is in them. */
  get fingerprint(): string {
    return hashText(JSON.stringify([this.mounts, this.allowedHostRoots])).slice(0, 16);
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get path(): string {
    if (this.#opened) return this.#opened.path;
    throw usageError(this.key, `The workspace of the section ${this.key} is not open`, "await section.open() first");
  }

  /** What was copied for each mount; nothing before the section is open. */
  get previews(): readonly MountPreview[] {
    return this.#opened?.previews ?? [];
  }

  /** Makes the directory and copies the mounts into it, once. Whatever fails leaves nothing behind. */
  async open(): Promise<this> {
    this.#opening ??= this.makeDirectory();
    try {
      this.#opened = await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
    return this;
  }

  /** Makes a directory of its own for whoever asks, beside the section's: evaluations at once are not in each other's way. */
  async makeDirectory(): Promise<SectionDirectory> {
    await checkMounts(this.mounts, this.allowedHostRoots);
    const held = await createHeldFolder("workspace", this.#folder);
    try {
      const path = join(held.path, "work");
      await mkdir(path, { mode: 0o700 });
      const previews: MountPreview[] = [];
      for (const mount of this.mounts) previews.push(await copyMount(mount, path));
      return { path, previews, [Symbol.asyncDispose]: async () => await held[Symbol.asyncDispose]() };
    } catch (error) {
      await held[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Removes the directory. The section can be opened anew. */
  async cleanup(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#opened = undefined;
    const opened = await opening?.catch(() => undefined);
    await opened?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanup();
  }

  render(_params: object = {}, { directory = this.#opened }: Partial<RenderContext> = {}): string {
    if (this.mounts.length === 0) return "The working directory is yours, and empty at the start.";
    const parts = directory
      ? directory.previews.map(describePreview)
      : this.mounts.map(({ mountPath }) => `- ${mountPath}`);
    return `The working directory holds copies; what you change in them changes nothing else.\n\n${parts.join("\n")}`;
  }
}

function describePreview({ mountPath, isDirectory, entries, fileCount, bytesCopied }: MountPreview): string {
  const head = `- ${mountPath}${isDirectory ? "/" : ""} (${isDirectory ? `${fileCount} files, ` : ""}${bytesCopied} bytes)`;
  if (!isDirectory) return head;
  const more = fileCount > SHOWN_ENTRIES ? [`  - and ${fileCount - SHOWN_ENTRIES} more`] : [];
  return [head, ...entries.map((entry) => `  - ${entry}`), ...more].join("\n");
}
