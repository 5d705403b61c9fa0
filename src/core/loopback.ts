// Which addresses only this machine can reach, and whether the page may be served on one that others can.

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export interface Bind {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  /** The operator said so when starting. */
  readonly allowOpenBind: boolean;
}

/** Undefined when it may be bound; else what is wrong and what to do. */
export function bindProblem({ host, publicUrl, allowOpenBind }: Bind): string | undefined {
  if (isLoopback(host) || allowOpenBind || publicUrl?.startsWith("https://")) return undefined;
  return `Host ${host} would be reachable from other machines without TLS. Use 127.0.0.1, or put a reverse proxy with TLS in front and set http.publicUrl to its https address. To serve it unencrypted all the same: --allow-open-bind.`;
}
