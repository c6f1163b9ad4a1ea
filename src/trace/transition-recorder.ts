import type { Workspace } from "../workspace/index.ts";
import { recordTransition } from "./by-hand/record-transition.ts";
import { RECORDING_MS, takeDirectory } from "./interrupted-turns.ts";
import { addNote } from "./note.ts";
import { TraceIndex } from "./trace-index.ts";
import type { Transition } from "./transition.ts";

/** Records turns that no conversation has recorded, and what was made of recorded ones. */
export class TransitionRecorder implements AsyncDisposable {
  /** What was recorded, to be found again. */
  readonly index: TraceIndex;

  private constructor(index: TraceIndex) {
    this.index = index;
  }

  static async open(workspace: Workspace): Promise<TransitionRecorder> {
    return new TransitionRecorder(await TraceIndex.open(workspace));
  }

  /**
   * Records a turn that was made by hand, or in a conversation without a record, and gives it as it is in the store. One that is recorded
   * already stays as it is. While a turn runs in the directory it is refused, unless the caller has claimed the directory and says so.
   */
  async record(
    transition: Transition,
    { isClaimed = false }: { readonly isClaimed?: boolean } = {},
  ): Promise<Transition> {
    const { workspace } = this.index;
    await using _ = isClaimed ? undefined : await takeDirectory(workspace, { waitMs: RECORDING_MS });
    return (await this.index.byId(transition.id)) ?? (await recordTransition(workspace, transition));
  }

  /** Gives a state rewards; a name that it had gets the new value. */
  async reward(name: string, rewards: Readonly<Record<string, number>>): Promise<void> {
    const { workspace } = this.index;
    await addNote(workspace, await workspace.states.resolve(name), { rewards });
  }

  async close(): Promise<void> {
    await this.index.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
