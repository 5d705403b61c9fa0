// The rest of the table: what is refused outside its order, by the parser before it and while a body is read after it.
import type { Refusal } from "./table.ts";

/** Found by Node's HTTP parser, before there is a request. */
export const beforeRows = {
  malformed: {
    name: "malformed",
    status: 400,
    when: "it is not HTTP/1.1, or its length is said twice or in two ways",
    say: "This is not a well-formed HTTP/1.1 request.",
  },
  slowHeaders: {
    name: "slow",
    status: 408,
    when: "the headers, or the whole request, take too long",
    say: "The request took too long to arrive.",
  },
  bigHeaders: {
    name: "big-headers",
    status: 431,
    when: "request line and headers are too large",
    say: "The headers are too large.",
  },
  connect: {
    name: "connect",
    status: 405,
    when: "the method is `CONNECT`",
    say: "This is no proxy.",
  },
} as const satisfies Record<string, Refusal>;

/** Found while the body is read, once everything else is in order. */
export const bodyRows = {
  "too-big": {
    name: "too-big",
    status: 413,
    when: "the body turns out larger than its route takes",
    say: "This body is larger than may be sent here.",
  },
  "too-slow": {
    name: "too-slow",
    status: 408,
    when: "the body takes too long, or no more of a file comes",
    say: "The body took too long to arrive.",
  },
  "not-json": {
    name: "not-json",
    status: 400,
    when: "the body is not JSON in UTF-8",
    say: "The body is not JSON.",
  },
} as const satisfies Record<string, Refusal>;

export type BodyTrouble = keyof typeof bodyRows;
