// Somebody with a mail address: what they write, and what is in their inbox.
import { type Composed, composed, type Letter, newMessageId } from "./mail-compose.ts";
import { quoting } from "./mail-quote.ts";
import type { SeenMail } from "./mail-seen.ts";

export interface Post {
  readonly agent: string;
  send(it: {
    readonly raw: () => Promise<Buffer>;
    readonly from: string;
    /** The domain whose key signs it; undefined: none does. */
    readonly by: string | undefined;
  }): { readonly uid: number; readonly delivered: Promise<Buffer> };
}

export interface Writing extends Letter {
  /** Absent or true: their own domain does; a domain: that one does instead. */
  readonly signed?: boolean | string;
  /** What the From says; absent: who it is. */
  readonly from?: string;
}

export interface Sent {
  /** Without brackets. */
  readonly messageId: string;
  readonly subject: string;
  readonly references: readonly string[];
  /** In the agent's mailbox. */
  readonly uid: number;
  /** Resolves with the bytes once they lie in the mailbox. */
  readonly delivered: Promise<Buffer>;
}

export interface Reply extends Writing {
  /** The old text below the new one, as Gmail does. */
  readonly quote?: boolean;
}

export class MailPerson {
  readonly address: string;
  readonly name: string;
  /** Every mail, repeats included. */
  readonly arrived: SeenMail[] = [];
  readonly #post: Post;

  constructor(post: Post, { address, name }: { address: string; name: string }) {
    this.#post = post;
    this.address = address;
    this.name = name;
  }

  /** As their mail program shows it: a Message-ID that is there already is the same mail. */
  get inbox(): readonly SeenMail[] {
    const known = new Set<string>();
    return this.arrived.filter(({ messageId }) => {
      const again = messageId !== "" && known.has(messageId);
      known.add(messageId);
      return !again;
    });
  }

  gets(mail: SeenMail): void {
    this.arrived.push(mail);
  }

  writes({ signed = true, from = this.address, ...letter }: Writing): Sent {
    const messageId = letter.messageId ?? newMessageId(this.address);
    const mail: Composed = {
      ...letter,
      from: { name: this.name, address: from },
      to: letter.to ?? [this.#post.agent],
      messageId,
    };
    const own = this.address.split("@")[1]?.toLowerCase();
    const by = typeof signed === "string" ? signed : signed ? own : undefined;
    const sent = this.#post.send({ raw: () => composed(mail), from: this.address, by });
    const { subject = "", references = [] } = letter;
    return { messageId, subject, references, ...sent };
  }

  /** To the agent, in the thread of a mail that they got. */
  replies(mail: SeenMail, text: string, { quote = true, ...more }: Reply = {}): Sent {
    const body = quote ? quoting(text, mail) : { text };
    return this.writes({
      subject: /^re:/i.test(mail.subject) ? mail.subject : `Re: ${mail.subject}`,
      inReplyTo: mail.messageId,
      references: [...mail.references, mail.messageId],
      ...body,
      ...more,
    });
  }

  /** Any bytes, signed by their own domain. */
  passesOn(bytes: Buffer): { readonly uid: number; readonly delivered: Promise<Buffer> } {
    const by = this.address.split("@")[1]?.toLowerCase();
    return this.#post.send({ raw: async () => bytes, from: this.address, by });
  }

  /** The very same bytes once more. */
  async again({ delivered }: Sent): Promise<void> {
    const bytes = await delivered;
    await this.#post.send({ raw: async () => bytes, from: this.address, by: undefined }).delivered;
  }
}
