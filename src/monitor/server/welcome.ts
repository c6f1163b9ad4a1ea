import type { IncomingMessage, ServerResponse } from "node:http";
import type { SkeinError } from "../../core/internal.ts";
import { refuse, wrongPlace, type Access } from "../access/guard.ts";
import type { PageFiles } from "./page-files.ts";
import { leadTo, PAGE, PAGE_WITHOUT_TOKEN } from "./page.ts";

/** A request with its address taken apart. */
export interface Guest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
}

const HTML = { "content-type": "text/html; charset=utf-8" };

/** Receives browsers that go to the page: at `/`, and at every address that the page itself has views for. */
export function createWelcome(access: Access, pages: PageFiles) {
  return {
    isFor: ({ request, pathname }: Guest): boolean =>
      request.method === "GET" && (pathname === "/" || (isView(pathname) && asksForHtml(request))),

    /** Answers, or gives the error with which whoever comes from the wrong place is refused. */
    async take(guest: Guest): Promise<SkeinError | undefined> {
      const { request, response, searchParams } = guest;
      // Whoever follows a link comes from elsewhere; a code is no use to them unless it is theirs.
      const misplaced = wrongPlace({ headers: { ...request.headers, "sec-fetch-site": "none" } }, access);
      if (misplaced) return misplaced;
      const code = searchParams.get("code");
      if (code !== null) await takeCode(guest, code, access);
      else if (await refuse(request, access)) response.writeHead(401, HTML).end(PAGE_WITHOUT_TOKEN);
      else if (await pages.isThere()) await pages.sendPage(request, response);
      else response.writeHead(200, HTML).end(PAGE);
      return undefined;
    },
  };
}

/** A browser comes with the code of the printed address, and is given a cookie in its place; it goes on to where it wanted, without the code. */
async function takeCode({ response, pathname, searchParams }: Guest, code: string, access: Access): Promise<void> {
  const cookie = access.login.redeem(code);
  if (cookie === undefined) await access.slowDown.afterFailure();
  else response.setHeader("set-cookie", cookieText(access, cookie));
  const rest = new URLSearchParams(searchParams);
  rest.delete("code");
  response.writeHead(200, HTML).end(leadTo(`${pathname}${rest.size > 0 ? `?${rest.toString()}` : ""}`));
}

/** One that begins with two slashes is another host's, and what lies in `assets` is a file or nothing. */
function isView(pathname: string): boolean {
  return /^\/(?!\/|\\|api(\/|$)|assets\/)/u.test(pathname);
}

function asksForHtml({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? "").split(",").some((type) => /^\s*text\/html\s*(;|$)/iu.test(type));
}

function cookieText({ cookieName, login, origins }: Access, value: string): string {
  const isSecure = [...origins].every((origin) => origin.startsWith("https:"));
  const seconds = Math.floor(login.sessionMs / 1000);
  return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
}
