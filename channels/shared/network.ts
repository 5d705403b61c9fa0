// What an error of the network, or of a file of ours, says about a call: its code, and whether a byte of it left.

/** Clients put what happened below errors of their own, and several tries below another. Empty: it has none. */
export function networkCode(error: unknown): string {
  for (let at = error, depth = 0; at && depth < 5; depth += 1) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === "string" && /^[A-Z_]{1,60}$/.test(code)) return code;
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return "";
}

/** These happen before the first byte of a request is written. */
const beforeSending: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

export function isBeforeSending(code: string): boolean {
  return beforeSending.has(code);
}

const fileCodes: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EISDIR", "EPERM"]);

/** The file of ours that was to be sent cannot be read. */
export function isOfFile(code: string): boolean {
  return fileCodes.has(code);
}
