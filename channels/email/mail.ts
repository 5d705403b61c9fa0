// What the parts of this channel hand each other.
import type { Loose } from "./loose.ts";

/** Whom a mail is from, found out here. The rules: authenticity.ts. */
export type Verdict =
  | {
      readonly is: "authenticated";
      /** The From: local part as written, the domain in lower case. */
      readonly address: string;
      /** In one line, without line breaks: what proved it. */
      readonly reason: string;
      /** What a replay of it would repeat: its Message-ID, and each good signature. */
      readonly marks: readonly string[];
    }
  | {
      readonly is: "unauthenticated" | "retry";
      /** What the From claims; null where it cannot be read as one address. */
      readonly address: string | null;
      readonly reason: string;
    };

export interface Mailbox {
  readonly name: string;
  /** As the MIME parser reads it. */
  readonly address: string;
}

export interface Attachment {
  /** Decoded, a mere file name, still untrusted. */
  readonly name: string;
  readonly mime: string;
  /** Bytes, decoded. */
  readonly size: number;
}

/** A mail as the MIME parser understands it. */
export interface Reading {
  readonly from: readonly Mailbox[];
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly subject: string;
  /** With their angle brackets. */
  readonly messageId: string | null;
  readonly inReplyTo: readonly string[];
  /** Oldest first. */
  readonly references: readonly string[];
  /** The new text: without quoted history and signature. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Why it is no person's mail that waits for an answer (RFC 3834 and what mail servers do); null when it may be one. */
  readonly automatic: string | null;
  /** What could not be read, in words that fit "I cannot read …". */
  readonly unreadable: string | null;
  /** Fields that have to be signed, else all this could be read in another way; none where nothing of the body is read. */
  readonly loose: readonly Loose[];
}

export type Read =
  | { readonly is: "read"; readonly mail: Reading }
  /** Too large, too deep, too slow or broken: in words that fit "I cannot read …". */
  | { readonly is: "unreadable"; readonly why: string };
