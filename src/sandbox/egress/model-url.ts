// Whether a URL can be a model's, for whoever sets it and for each request.
import { reachOf } from "../../net/reach.ts";
import { Refused } from "../../net/refused.ts";

/** A sentence: why no request ever goes there. */
export function problemWithModelUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "The URL of the model cannot be read.";
  if (url.username !== "" || url.password !== "")
    return "The URL of the model holds a user name or password; a key is set with: sallyport secret set NAME";
  try {
    reachOf(text);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}
