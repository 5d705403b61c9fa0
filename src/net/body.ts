// Bodies on their way out and in: what can be sent, and how much is taken.
import { Refused } from "./refused.ts";

export interface OutBody {
  readonly body: string | Uint8Array | ReadableStream | null;
  readonly type: string | null;
}

/** A form is encoded here: the HTTP client knows only its own FormData, and its length should be known. */
export async function outBody(body: RequestInit["body"]): Promise<OutBody> {
  if (body === undefined || body === null) return { body: null, type: null };
  if (typeof body === "string") return { body, type: "text/plain;charset=UTF-8" };
  if (body instanceof Uint8Array) return { body, type: null };
  if (body instanceof ReadableStream) return { body, type: null };
  const encoded = new Response(body as BodyInit);
  return {
    body: new Uint8Array(await encoded.arrayBuffer()),
    type: encoded.headers.get("content-type"),
  };
}

/** Passes bytes through up to a limit. `finished` is called once, however it ends. */
export function limitBytes(
  source: ReadableStream<Uint8Array>,
  limit: number,
  finished: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let taken = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          finished();
          controller.close();
          return;
        }
        taken += value.byteLength;
        if (taken > limit) throw new Refused(`The answer is larger than ${limit} bytes.`);
        controller.enqueue(value);
      } catch (error) {
        finished();
        controller.error(error);
        reader.cancel(error).catch(() => {});
      }
    },
    async cancel(reason) {
      finished();
      await reader.cancel(reason);
    },
  });
}
