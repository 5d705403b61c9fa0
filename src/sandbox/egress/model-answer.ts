// Passes a model's answer on, chunk by chunk as they come: counted, metered, and without the key.
import type { ServerResponse } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ForwardAnswer } from "../../net/forward.ts";
import { passedOn } from "./headers.ts";
import type { RefusedRequest } from "./model-request.ts";
import { createMeter, type Tokens } from "./usage.ts";
import { createVeil, isVeiled } from "./veil.ts";

/** Of one request; filled while it runs. */
export interface Account {
  bytesIn: number;
  bytesOut: number;
  /** The answer was passed on to its end. */
  complete: boolean;
  /** What the request's body turned out to be, which ended it. */
  refused?: RefusedRequest;
  tokens: () => Tokens;
}

const cookies: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2"]);

function headersOf({ headers }: ForwardAnswer, key: string | undefined) {
  const kept = Object.entries(passedOn(headers, cookies));
  const isClean = (text: string) => !isVeiled(key) || !text.includes(key);
  return Object.fromEntries(kept.filter(([, value]) => [value].flat().every(isClean)));
}

function passing(account: Account, key: string | undefined, type: string | undefined): Transform {
  const [meter, veil] = [createMeter(type), createVeil(key)];
  account.tokens = meter.tokens;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      account.bytesOut += chunk.length;
      meter.take(chunk);
      const out = veil.take(chunk);
      if (out.length > 0) this.push(out);
      done();
    },
    flush(done) {
      const out = veil.rest();
      if (out.length > 0) this.push(out);
      done();
    },
  });
}

export async function passAnswer(
  answer: ForwardAnswer,
  response: ServerResponse,
  { account, key }: { readonly account: Account; readonly key: string | undefined },
): Promise<void> {
  const type = [answer.headers["content-type"]].flat()[0];
  response.writeHead(answer.status, headersOf(answer, key)).flushHeaders();
  await pipeline(answer.body, passing(account, key, type), response);
  account.complete = true;
}
