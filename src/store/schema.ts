// The tables, as Kysely sees them. Times are ms since 1970, flags 0 or 1, `*Json` columns JSON text.
import type { Generated } from "kysely";

export interface Tables {
  meta: { key: string; value: string };
  notes: { listener: string; name: string; value: string };
  pairings: {
    id: string;
    name: string;
    role: string;
    kind: string;
    tokenHash: string | null;
    createdAt: number;
  };
  accounts: {
    listener: string;
    account: string;
    pairing: string;
    name: string;
    linkedAt: number;
    /** A role: whoever comes by this account is at most that. */
    most: string | null;
  };
  marks: { listener: string; mark: string; at: number };
  codes: {
    hmac: string;
    name: string;
    role: string;
    createdAt: number;
    expiresAt: number;
    usedAt: number | null;
    usedBy: string | null;
  };
  links: {
    hash: string;
    pairing: string;
    createdAt: number;
    expiresAt: number;
    usedAt: number | null;
  };
  sessions: {
    hash: string;
    id: string;
    pairing: string;
    operator: number;
    createdAt: number;
    expiresAt: number;
  };
  attempts: { key: string; failures: number; blockedUntil: number; at: number };
  buckets: { key: string; tokens: number; at: number };
  hints: { key: string; at: number };
  chats: {
    listener: string;
    chat: string;
    title: string;
    enabled: number;
    /** Everybody paired in it continues one conversation. */
    shared: number;
    changedAt: number;
  };
  conversations: {
    id: string;
    key: string;
    listener: string;
    chat: string;
    thread: string | null;
    kind: string;
    caller: string;
    session: string | null;
    note: string | null;
    createdAt: number;
    lastAt: number;
  };
  inbox: {
    id: Generated<number>;
    listener: string;
    key: string;
    kind: string;
    state: string;
    outcome: string | null;
    caller: string | null;
    role: string | null;
    conversation: string | null;
    turn: string | null;
    album: string | null;
    bodyJson: string | null;
    at: number;
    receivedAt: number;
  };
  tasks: {
    id: string;
    conversation: string;
    caller: string;
    callerName: string;
    title: string;
    state: string;
    reason: string | null;
    createdAt: number;
    updatedAt: number;
  };
  turns: {
    id: string;
    task: string;
    conversation: string;
    caller: string;
    role: string;
    state: string;
    asks: number;
    effects: number;
    epoch: number;
    run: number;
    end: string | null;
    startedAt: number;
    endedAt: number | null;
  };
  questions: {
    id: string;
    turn: string;
    task: string;
    conversation: string;
    caller: string;
    kind: string;
    state: string;
    outcome: string | null;
    epoch: number;
    title: string;
    body: string;
    optionsJson: string;
    createdAt: number;
    expiresAt: number;
    decidedAt: number | null;
    decidedBy: string | null;
    decidedName: string | null;
    answer: string | null;
    reason: string | null;
  };
  cards: {
    id: string;
    question: string;
    person: string;
    number: number;
    listener: string | null;
    chat: string | null;
    thread: string | null;
    outbox: number | null;
  };
  buttons: {
    token: string;
    card: string | null;
    inbox: number | null;
    option: string;
    listener: string;
    chat: string;
    createdAt: number;
  };
  grants: { task: string; kind: string; target: string; byCaller: string; at: number };
  outbox: {
    id: Generated<number>;
    kind: string;
    state: string;
    turn: string | null;
    question: string | null;
    seq: number;
    listener: string;
    chat: string;
    thread: string | null;
    body: string | null;
    plain: string;
    buttonsJson: string | null;
    fileJson: string | null;
    replyToJson: string | null;
    /** The one account of the chat that is shown it. */
    onlyJson: string | null;
    /** The row whose message this file goes with. */
    along: number | null;
    refJson: string | null;
    attempts: number;
    error: string | null;
    createdAt: number;
    sentAt: number | null;
  };
  usage: {
    id: Generated<number>;
    /** When the day began, UTC. */
    day: number;
    caller: string;
    /** Empty: no task of ours was at work. */
    task: string;
    requests: number;
    bytesIn: number;
    bytesOut: number;
    inputTokens: number;
    outputTokens: number;
    uncounted: number;
    guessedTokens: number;
  };
  audit: {
    id: Generated<number>;
    at: number;
    who: string;
    name: string;
    place: string;
    action: string;
    target: string;
    outcome: string;
    why: string;
  };
}
