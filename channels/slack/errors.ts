// What went wrong at Slack, as the six kinds of SendError. The only place that turns its errors into words: addresses for
// answers and uploads hold secrets, so no error of a client goes on as it is.
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from "@slack/web-api";
import { SendError, type SendErrorKind } from "../../src/core/channel.ts";
import { isBeforeSending, networkCode } from "../shared/network.ts";

const secrets = /xox[a-z](?:\.xox[a-z])?-[\w-]+|xapp-[\w-]+|(?:https?|wss?):\/\/\S+/g;

/** For people: a sentence without tokens and addresses. */
export function describe(error: unknown): string {
  return sentence(error).replace(secrets, "<hidden>").slice(0, 300);
}

function sentence(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return advice(code, neededOf(error));
  if (error instanceof WebAPIRateLimitedError) return "Slack wants a pause";
  if (error instanceof WebAPIHTTPError) return `Slack answered with status ${error.statusCode}`;
  if (error instanceof WebAPIRequestError)
    return `Slack could not be reached: ${networkWhy(error.original)}`;
  if (error instanceof TypeError && error.message === "fetch failed")
    return `Slack could not be reached: ${networkWhy(error)}`;
  return error instanceof Error ? error.message : String(error ?? "the connection was closed");
}

/** Slack's own word for it; an answer that is not Slack's has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  return typeof code === "string" && /^[a-z][a-z0-9_]{0,79}$/.test(code) ? code : "not_slack";
}

function neededOf(error: unknown): string {
  const { needed } = (error instanceof WebAPIPlatformError ? error.data : {}) as {
    needed?: unknown;
  };
  return typeof needed === "string" && /^[\w:.,-]{1,200}$/.test(needed) ? needed : "";
}

function advice(code: string, needed: string): string {
  if (code === "missing_scope")
    return `The app lacks the scope ${needed || "for this"}. Add it in the app's settings and install the app again.`;
  if (code === "not_slack") return "the answer was not Slack's";
  if (unauthorised.has(code))
    return `Slack no longer takes the token (${code}). Install the app again and set its token.`;
  return `Slack said ${code}`;
}

export const unauthorised: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "user_removed_from_team",
  "team_disabled",
  "org_login_required",
  "not_allowed_token_type",
]);
const gone: ReadonlySet<string> = new Set([
  "channel_not_found",
  "not_in_channel",
  "user_not_in_channel",
  "is_archived",
  "channel_is_archived",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_only_channel",
  "restricted_action_non_threadable_channel",
  "restricted_action_thread_locked",
  "posting_to_channel_denied",
  "team_access_not_granted",
  "ekm_access_denied",
  "user_not_found",
  "users_not_found",
  "user_not_visible",
  "user_disabled",
  "cannot_dm_bot",
  "messages_tab_disabled",
  "message_not_found",
  "thread_not_found",
  "cant_update_message",
  "edit_window_closed",
]);
/** The blocks are at fault: the text alone may pass. */
const badBlocks: ReadonlySet<string> = new Set(["invalid_blocks", "invalid_blocks_format"]);
const notDone: ReadonlySet<string> = new Set(["request_timeout", "team_added_to_org"]);
const perhapsDone: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "not_slack",
]);

export function toSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const why = describe(error);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) return new SendError("rate-limited", why, { retryAfter });
  const code = codeOf(error);
  if (code !== undefined && badBlocks.has(code))
    return new SendError("rejected", why, { format: true });
  if (code !== undefined) return new SendError(kindOf(code), why);
  // A proxy that gives up does not know whether the server behind it went on.
  if (error instanceof WebAPIHTTPError)
    return new SendError(error.statusCode >= 500 ? "unknown" : "rejected", why);
  const network = error instanceof WebAPIRequestError ? error.original : error;
  return new SendError(wasSent(network) ? "unknown" : "not-sent", why);
}

/** Nothing is wrong with the call: the same may work later. */
export function mayPass(error: unknown): boolean {
  const { kind } = toSendError(error);
  return kind === "unknown" || kind === "not-sent";
}

function kindOf(code: string): SendErrorKind {
  if (unauthorised.has(code)) return "unauthorised";
  if (gone.has(code)) return "gone";
  if (notDone.has(code)) return "not-sent";
  return perhapsDone.has(code) ? "unknown" : "rejected";
}

export function retryAfterOf(error: unknown): number | undefined {
  if (error instanceof WebAPIRateLimitedError) return 1000 * Math.max(1, error.retryAfter);
  if (error instanceof WebAPIHTTPError && error.statusCode === 429) return 5000;
  const code = codeOf(error);
  return code === "ratelimited" || code === "rate_limited" ? 5000 : undefined;
}

function wasSent(error: unknown): boolean {
  return !isBeforeSending(networkCode(error));
}

function networkWhy(error: unknown): string {
  const code = networkCode(error);
  if (code) return code;
  if (error instanceof Error && /Timeout|Abort/.test(error.name)) return "no answer in time";
  return "the connection failed";
}
