// How a link to the page is shown: what to open, until when, and over SSH how a browser elsewhere gets there.
import type { PageLink } from "../admin/link.ts";
import type { SshEnd } from "../config/environment.ts";
import { when } from "./output.ts";

export function linkText({ url, expiresAt }: PageLink, ssh: SshEnd | undefined): string {
  return [
    ...(ssh
      ? ["Here over SSH: on the machine with your browser, first", `  ${sshLine(url, ssh)}`]
      : []),
    `Open the page as its owner, once, until ${when(expiresAt)}:`,
    `  ${url}`,
  ].join("\n");
}

/** The same port on both sides: the page answers to its own name only. */
function sshLine(url: string, { user, host, port }: SshEnd): string {
  const { hostname, port: page } = new URL(url);
  const other = port === 22 ? "" : `-p ${port} `;
  return `ssh ${other}-L ${page || "80"}:${hostname}:${page || "80"} ${user}@${host}`;
}
