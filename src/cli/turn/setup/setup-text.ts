import { isSecretName, isSecretValue } from "../../../core/internal.ts";
import type { AgentSetup } from "./read-setup.ts";

/** What of a setup decides what an agent answers, as text for a key; undefined where nothing was said. Of secrets only the names are in it. */
export function setupText({ options, isIsolated, network }: AgentSetup): string | undefined {
  const { env = {}, ...others } = options;
  const telling = Object.entries(env).map(([name, value = ""]) =>
    isSecretName(name) || isSecretValue(value) ? [name] : [name, value],
  );
  const deciding = {
    ...others,
    ...(telling.length > 0 ? { env: telling } : {}),
    ...(isIsolated ? { isIsolated } : {}),
    ...(network.allowedDomains.length > 0 ? { network } : {}),
  };
  return Object.keys(deciding).length === 0 ? undefined : JSON.stringify(deciding);
}
