// What the page and the gateway tell each other, as JSON. Every text in it is untrusted: the page never makes HTML of it.
import type { Button, ListenerHealth } from "./channel.ts";
import type { TaskState } from "./words.ts";

/** Every refusal: a status of 400 or more, and what to do. */
export interface Problem {
  readonly problem: string;
}

/** GET /api/me: 401 without a session. */
export interface Me {
  readonly name: string;
  readonly role: "owner" | "authenticated";
  /** May open the operator's page. */
  readonly operator: boolean;
  /** Their own chat here. Further ones: this, a dot, and 8 to 32 of a-z A-Z 0-9 _ - that the page makes up. */
  readonly chat: string;
  readonly agent: { readonly name: string; readonly asks: boolean };
  readonly sandbox: string;
  /** Bytes of one file that may be sent up. */
  readonly fileMost: number;
  /** When this session ends, ms since 1970; null: a program with a token. */
  readonly expiresAt: number | null;
}

/** POST /sign-in, public: either is used up by it. Sets the cookie and answers Me. */
export type SignIn = { readonly link: string } | { readonly code: string };

/** POST /pair {code}, public, for programs: the token is shown once. */
export interface Paired {
  readonly token: string;
  readonly name: string;
  readonly role: "owner" | "authenticated";
}

export interface ConversationRow {
  readonly id: string;
  readonly listener: string;
  readonly channel: string;
  /** Title of the group, or of the latest task; may be empty. */
  readonly title: string;
  /** Whose it is, when it is somebody else's. */
  readonly whose: string | null;
  readonly kind: "direct" | "group";
  readonly lastAt: number;
  readonly state: "idle" | "working" | "waiting" | "queued";
  /** The chat to post into; null: of another channel, or not yours, to read only. */
  readonly chat: string | null;
}

/** GET /api/conversations: newest first, at most 200. */
export interface Conversations {
  readonly conversations: readonly ConversationRow[];
}

export interface ShownFile {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** GET gives it as an attachment. Absent: it is no longer kept. */
  readonly url?: string;
  /** A page of ours that shows it in a frame that can reach nothing (HTML, SVG, Mermaid). */
  readonly view?: string;
}

/** What somebody wrote. */
export interface Said {
  readonly is: "said";
  /** Of the page's own messages: `m-` and the id that it chose. */
  readonly id: string;
  readonly at: number;
  readonly who: string;
  readonly mine: boolean;
  readonly text: string;
  readonly files: readonly Pick<ShownFile, "name" | "size">[];
  /** Where it stands while it waits for its turn; 1 is next. */
  readonly place?: number;
}

/** What the gateway wrote, as it stands now. */
export interface Posted {
  readonly is: "posted";
  /** `o` and a number; the same in the history and in the events. */
  readonly id: string;
  readonly at: number;
  readonly text: string;
  /** Plain: what another channel was sent, without its formatting. */
  readonly format: "markdown" | "plain";
  /** To press with POST /api/presses; only in a chat of one's own here. */
  readonly buttons: readonly Button[];
  /** The question it is the card of. */
  readonly question?: string;
  readonly file?: ShownFile;
}

export type Entry = Said | Posted;

/** What is going on in a conversation. */
export interface Work {
  readonly task: string;
  readonly title: string;
  readonly state: "working" | "waiting" | "stopping";
  readonly startedAt: number;
}

/** GET /api/conversations/:id?before=<at>: the newest 100, oldest first. GET /api/chats/:chat is the same for a chat of one's own, empty if nothing was said yet. */
export interface History {
  readonly conversation: ConversationRow | null;
  readonly entries: readonly Entry[];
  readonly earlier: boolean;
  readonly work: Work | null;
  /** Place in the queue of the whole gateway, 1 is next; null: not waiting. */
  readonly place: number | null;
}

/** POST /api/messages {…}: 200 {taken: true} once it is on disk. The same id is the same message. */
export interface NewMessage {
  /** 8 to 64 of a-z A-Z 0-9 _ - */
  readonly id: string;
  readonly chat: string;
  readonly text: string;
  /** Ids that POST /api/files gave. */
  readonly files?: readonly string[];
}

/** POST /api/presses {…}: 200 {taken: true}; the answer comes as an event `notice`. */
export interface NewPress {
  readonly id: string;
  readonly chat: string;
  readonly message: string;
  readonly data: string;
}

/** POST /api/files?name=…: the bytes as application/octet-stream. */
export interface Uploaded {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly mime: string;
}

/** GET /api/tasks: newest first, at most 100. POST /api/tasks/:id/stop stops one. */
export interface Tasks {
  readonly tasks: readonly TaskRow[];
}
export interface TaskRow {
  readonly id: string;
  readonly conversation: string;
  readonly title: string;
  readonly whose: string | null;
  readonly state: TaskState;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** GET /api/approvals: what this caller may answer. POST /api/approvals/:id {option, reason?} decides. */
export interface Approvals {
  readonly approvals: readonly ApprovalRow[];
}
export interface ApprovalRow {
  readonly id: string;
  readonly conversation: string;
  readonly title: string;
  /** Markdown: the whole effect. */
  readonly body: string;
  readonly kind: "approval" | "choice" | "text";
  readonly options: readonly { readonly key: string; readonly label: string }[];
  /** Title of the task, and whose when it is somebody else's. */
  readonly task: string;
  readonly whose: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}
export interface Decision {
  readonly option: string;
  readonly reason?: string;
}

/** GET /api/hitl/:token, public: shows and changes nothing. POST /hitl/:token Decision decides, once. */
export interface Hitl {
  readonly title: string;
  readonly body: string;
  readonly kind: "approval" | "choice" | "text";
  readonly options: readonly { readonly key: string; readonly label: string }[];
  readonly state: "pending" | "answered" | "expired";
  /** Markdown: who decided what, or why it expired. */
  readonly outcome: string;
  /** Who answers with this link. */
  readonly who: string;
}

/** GET /api/operator: all that the operator's page shows. */
export interface Operator {
  readonly listeners: readonly {
    readonly id: string;
    readonly channel: string;
    readonly health: ListenerHealth;
  }[];
  readonly pairings: readonly {
    readonly name: string;
    readonly role: string;
    readonly kind: string;
    readonly accounts: readonly {
      readonly listener: string;
      readonly account: string;
      readonly name: string;
    }[];
    readonly sessions: number;
    readonly lastTaskAt: number | null;
  }[];
  readonly tasks: readonly TaskRow[];
  readonly approvals: readonly ApprovalRow[];
  readonly budgets: readonly {
    readonly who: string;
    readonly used: number;
    readonly of: number;
    /** When the window ends, ms since 1970. */
    readonly until: number;
  }[];
  readonly audit: readonly {
    readonly at: number;
    readonly name: string;
    readonly place: string;
    readonly action: string;
    readonly target: string;
    readonly outcome: string;
    readonly why: string;
  }[];
  readonly running: number;
  readonly queued: number;
}

/**
 * GET /api/events: server-sent events, all chats of the caller. Each that can be resumed has an id; after a drop the browser sends
 * it as Last-Event-ID and gets what it missed, or `reset`.
 */
export type WebEvent =
  | { readonly type: "posted"; readonly chat: string; readonly entry: Posted }
  /** The whole message as it is now; also for one that was never seen. */
  | { readonly type: "edited"; readonly chat: string; readonly entry: Posted }
  | { readonly type: "removed"; readonly chat: string; readonly id: string }
  | { readonly type: "said"; readonly chat: string; readonly entry: Said }
  | { readonly type: "typing"; readonly chat: string }
  /** To the page that pressed. */
  | { readonly type: "notice"; readonly press: string; readonly text: string }
  /** What is no longer as it was: fetch it again. Conversations by id. */
  | {
      readonly type: "changed";
      readonly conversations: readonly string[];
      readonly what: readonly ("conversations" | "tasks" | "approvals" | "operator")[];
    }
  /** Something is missing: fetch everything that is shown again. */
  | { readonly type: "reset" }
  /** The session is over: nothing more comes. */
  | { readonly type: "bye"; readonly why: string };
