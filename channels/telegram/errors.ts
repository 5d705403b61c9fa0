// What went wrong at Telegram, as the six kinds of SendError. The only place that turns its errors into words: the
// address of every call holds the token, so no error of the client goes on as it is.
import { GrammyError, HttpError } from "grammy";
import { SendError } from "../../src/core/channel.ts";
import { isBeforeSending, isOfFile, networkCode } from "../shared/network.ts";

export function redact(text: string, token: string): string {
  const secret = token.slice(token.indexOf(":") + 1);
  return text.replaceAll(token, "<token>").replaceAll(secret, "<token>");
}

/** For people: a sentence without the token. */
export function describe(error: unknown, token: string): string {
  if (error instanceof GrammyError) return redact(error.description, token).slice(0, 300);
  if (error instanceof HttpError)
    return `Telegram could not be reached: ${networkWhy(error.error)}`;
  return redact(error instanceof Error ? error.message : String(error), token).slice(0, 300);
}

export function codeOf(error: unknown): number | undefined {
  return error instanceof GrammyError ? error.error_code : undefined;
}

export function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return undefined;
  return 1000 * (error.parameters.retry_after ?? 5);
}

export function toSendError(error: unknown, token: string): SendError {
  if (error instanceof SendError) return error;
  const why = describe(error, token);
  if (error instanceof GrammyError) return fromAnswer(error, why);
  if (error instanceof HttpError) return new SendError(networkKind(error.error), why);
  return new SendError("unknown", why);
}

function fromAnswer(error: GrammyError, why: string): SendError {
  const { error_code: code, parameters } = error;
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) return new SendError("rate-limited", why, { retryAfter });
  // A token that never was one is answered 404, as if the method did not exist.
  if (code === 401 || code === 404) return new SendError("unauthorised", why);
  if (code === 403) return new SendError("gone", why);
  // A proxy that gives up does not know whether the server behind it went on.
  if (code >= 500) return new SendError("unknown", why);
  const { migrate_to_chat_id: to } = parameters;
  if (to !== undefined) return new SendError("gone", why, { movedTo: String(to) });
  if (/can't parse entities/i.test(why)) return new SendError("rejected", why, { format: true });
  return new SendError(goneWords.test(why) ? "gone" : "rejected", why);
}

const goneWords =
  /chat not found|user not found|message to edit not found|message thread not found|MESSAGE_ID_INVALID|PEER_ID_INVALID|TOPIC_(?:CLOSED|DELETED)|CHAT_WRITE_FORBIDDEN|not enough rights to send|have no rights to send|group chat was (?:deactivated|deleted)|USER_DEACTIVATED|bot was (?:kicked|blocked)/i;

function networkKind(error: unknown): "not-sent" | "unknown" | "rejected" {
  const code = networkCode(error);
  if (isBeforeSending(code)) return "not-sent";
  if (isOfFile(code)) return "rejected";
  const duringConnect = /reason: (?:connect .*)?$/.test(
    error instanceof Error ? error.message : "",
  );
  return code === "ETIMEDOUT" && duringConnect ? "not-sent" : "unknown";
}

function networkWhy(error: unknown): string {
  const code = networkCode(error);
  if (isOfFile(code)) return `the file cannot be read (${code})`;
  if (code) return code;
  const message = error instanceof Error ? error.message : "";
  if (/timed out after/.test(message)) return "no answer in time";
  if (/socket hang up|premature close/i.test(message)) return "the connection broke";
  return /json/i.test(message) ? "the answer was not the Bot API's" : "the connection failed";
}
