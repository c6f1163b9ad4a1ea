import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createHeldFolder, Workspace } from "../../workspace/index.ts";
import type { Prompt } from "../prompt.ts";
import { WorkspaceSection } from "../workspace-section.ts";
import type { AdapterOptions } from "./adapter-options.ts";

/** A workspace to work in, which is let go of afterwards as it was found. */
export interface Place extends AsyncDisposable {
  readonly workspace: Workspace;
}

/**
 * Where an evaluation works: the adapter's workspace or directory, else that of the prompt's workspace section, else an empty
 * one. What is made here is gone afterwards, and so is its record unless `record` says where to keep it.
 */
export async function openPlace(
  prompt: Pick<Prompt<unknown>, "template">,
  { workspace, cwd, record, clock }: AdapterOptions,
): Promise<Place> {
  if (workspace) return { workspace, [Symbol.asyncDispose]: async () => undefined };
  const options = clock ? { clock } : {};
  if (cwd !== undefined) {
    const opened = await Workspace.open(cwd, { home: record, ...options });
    return { workspace: opened, [Symbol.asyncDispose]: async () => await opened.close() };
  }
  const held = await createHeldFolder("evaluation");
  const section = prompt.template.placed.map((placed) => placed.section).find(isWorkspace);
  // One that its owner has opened stays open.
  const ownsSection = section !== undefined && !section.isOpen;
  const remove = async (): Promise<void> => {
    if (ownsSection) await section.cleanup();
    await held[Symbol.asyncDispose]();
  };
  try {
    const path = section ? (await section.open()).path : join(held.path, "work");
    if (!section) await mkdir(path, { mode: 0o700 });
    const opened = await Workspace.open(path, { home: record ?? join(held.path, "home"), ...options });
    const close = async (): Promise<void> => {
      try {
        await opened.close();
      } finally {
        await remove();
      }
    };
    return { workspace: opened, [Symbol.asyncDispose]: close };
  } catch (error) {
    await remove();
    throw error;
  }
}

function isWorkspace(section: unknown): section is WorkspaceSection {
  return section instanceof WorkspaceSection;
}
