// Who an HTTP request is from, once its cookie or token was looked up.
import type { Caller } from "../core/words.ts";

export interface Visitor {
  readonly caller: Caller;
  /** `session`: a browser with our cookie. `token`: a program with a caller token. */
  readonly by: "session" | "token";
  /** Its session came from a link that was made on this machine: it sees the operator's page. */
  readonly operator: boolean;
  /** Names its session without being the secret of it; null for a token. */
  readonly session: string | null;
  /** What its token is kept under, to see whether it still counts; absent for a session. */
  readonly tokenHash?: string;
  /** Ms since 1970; null for a token. */
  readonly expiresAt: number | null;
}
