// Which addresses only this machine can reach.

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Undefined when it may be bound; else what is wrong and what to do. */
export function bindProblem(host: string): string | undefined {
  return isLoopback(host)
    ? undefined
    : `--host ${host} would be reachable from other machines without TLS. Use --host 127.0.0.1 and put a reverse proxy with TLS in front.`;
}
