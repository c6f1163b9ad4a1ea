import { isAbsolute, normalize } from "node:path";
import { SkeinError } from "../../core/internal.ts";

export interface DeepLink {
  readonly type: "state" | "conversation";
  /** The whole id, or of a state's the beginning. */
  readonly id: string;
  /** The directory whose record it is in; that of the reader where it is left out. */
  readonly workspace?: string;
}

const IDS: Readonly<Record<DeepLink["type"], RegExp>> = {
  state: /^[0-9a-f]{7,40}$/u,
  conversation: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u,
};

/**
 * Reads a link. It may come from anywhere, a web page too: what is not known is refused, and nothing in it can be
 * anything but an id and the path of a directory.
 */
export function parseDeepLink(link: string): DeepLink {
  const [, kind, id = "", query = ""] = /^skein:\/\/([^/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/u.exec(link) ?? [];
  if (kind !== "state" && kind !== "conversation") {
    throw badLink(link, "It is neither skein://state/ID nor skein://conversation/ID");
  }
  if (!IDS[kind].test(id)) throw badLink(link, `${JSON.stringify(id)} is not the id of a ${kind}`);
  const params = [...new URLSearchParams(query)];
  const unknown = params.find(([name]) => name !== "workspace")?.[0];
  if (unknown !== undefined) throw badLink(link, `Links take no ${JSON.stringify(unknown)}`);
  if (params.length > 1) throw badLink(link, "It names more than one workspace");
  const workspace = params[0]?.[1];
  if (workspace === undefined) return { type: kind, id };
  if (!isPlainPath(workspace)) throw badLink(link, `${JSON.stringify(workspace)} is not an absolute path`);
  return { type: kind, id, workspace };
}

export function formatDeepLink({ type, id, workspace }: DeepLink): string {
  const query = workspace === undefined ? "" : `?workspace=${encodeURIComponent(workspace)}`;
  return `skein://${type}/${id}${query}`;
}

/** A path that says where it leads: from the root, without a way up, and nothing that a terminal would act on. */
function isPlainPath(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && !/\p{Cc}/u.test(path);
}

function badLink(link: string, message: string): SkeinError {
  return new SkeinError(`The link cannot be used: ${message}`, {
    kind: "usage",
    target: link,
    hint: "skein deep-link-mode --make STATE makes one",
  });
}
