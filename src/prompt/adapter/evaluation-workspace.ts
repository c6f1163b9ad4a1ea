import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { defined, SkeinError } from "../../core/internal.ts";
import { createHeldFolder } from "../../isolation/internal.ts";
import { Workspace } from "../../workspace/internal.ts";
import type { Prompt } from "../template/prompt.ts";
import { WorkspaceSection, type SectionDirectory } from "../template/workspace-section.ts";
import type { AdapterOptions } from "./adapter-options.ts";

/**
 * Where an evaluation works, and the prompt as it is told there: the adapter's workspace or directory, else that of the prompt's
 * workspace section, else an empty one. What is made here is gone afterwards, and so is its record unless `record` says where to
 * keep it: what is to outlive a fleeting one has to be read before.
 */
export async function openEvaluationWorkspace<Output>(prompt: Prompt<Output>, adapter: AdapterOptions) {
  const { workspace, cwd, record, clock } = adapter;
  if (workspace) return { workspace, prompt, isFleeting: false, [Symbol.asyncDispose]: async () => undefined };
  if (cwd === undefined) return await makeWorkspace(prompt, adapter);
  const opened = await Workspace.open(cwd, { home: record, ...defined({ clock }) });
  return { workspace: opened, prompt, isFleeting: false, [Symbol.asyncDispose]: async () => await opened.close() };
}

async function makeWorkspace<Output>(prompt: Prompt<Output>, { record, clock }: AdapterOptions) {
  const made: AsyncDisposable[] = [];
  const remove = async (): Promise<void> => {
    for (const each of made.splice(0).toReversed()) await each[Symbol.asyncDispose]();
  };
  const keep = <Made extends AsyncDisposable>(each: Made): Made => {
    made.push(each);
    return each;
  };
  try {
    const held = keep(await createHeldFolder("evaluation"));
    const sections = prompt.template.placed.map((placed) => placed.section as unknown);
    const section = sections.find((each) => each instanceof WorkspaceSection);
    const directory = section && keep(await directoryFor(section));
    const path = directory?.path ?? join(held.path, "work");
    if (!directory) await mkdir(path, { mode: 0o700 });
    const home = record ?? join(held.path, "home");
    const workspace = keep(await Workspace.open(path, { home, ...defined({ clock }) }));
    const told = section && directory ? prompt.withDirectories(new Map([[section, directory]])) : prompt;
    return { workspace, prompt: told, isFleeting: record === undefined, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Sections that their owners have opened and that an evaluation works in now. */
const lent = new WeakSet<WorkspaceSection>();

/** The directory that the owner of a section has opened, which stays, for one evaluation at a time; else one of this evaluation's own. */
async function directoryFor(section: WorkspaceSection): Promise<SectionDirectory> {
  if (!section.isOpen) return await section.makeDirectory();
  const { path, previews } = section;
  if (lent.has(section)) {
    throw new SkeinError(`Another evaluation is working in the directory of the section ${section.key}`, {
      kind: "workspace_busy",
      target: path,
      hint: "Wait for it; or do not open the section, and each evaluation gets its own directory.",
    });
  }
  lent.add(section);
  return { path, previews, [Symbol.asyncDispose]: async () => void lent.delete(section) };
}
