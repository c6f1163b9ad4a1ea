import { Component, type ReactNode } from "react";
import { ErrorNote } from "../parts/note.tsx";

/** Keeps the frame where a view fails, and says what went wrong. */
export class Guard extends Component<
  { readonly children: ReactNode },
  { readonly error?: unknown; readonly at?: string }
> {
  override state: { readonly error?: unknown; readonly at?: string } = {};

  static getDerivedStateFromError(error: unknown): { readonly error: unknown; readonly at: string } {
    return { error, at: location.pathname };
  }

  override render(): ReactNode {
    // Another view is not the one that failed.
    if (this.state.error === undefined || this.state.at !== location.pathname) return this.props.children;
    return <ErrorNote error={this.state.error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
