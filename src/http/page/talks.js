// The entries of one conversation: the history and the stream come in any order and give the same list.
// @ts-check

/** @typedef {import("../../core/page.ts").Entry} Entry */
/** @typedef {import("../../core/page.ts").History} History */

/**
 * @typedef {object} Talk
 * @property {readonly Entry[]} entries Oldest first.
 * @property {import("../../core/page.ts").ConversationRow | null} conversation
 * @property {boolean} earlier There is more before these.
 * @property {import("../../core/page.ts").Work | null} work
 * @property {number | null} place
 * @property {boolean} loaded
 * @property {readonly string[]} touched What the stream told since its last gap: no history is newer, and of a reply that
 *   still grows it has only the beginning.
 * @property {number} typingUntil
 */

/** @type {Talk} */
export const emptyTalk = {
  entries: [],
  conversation: null,
  earlier: false,
  work: null,
  place: null,
  loaded: false,
  touched: [],
  typingUntil: 0,
};

/** The stream missed something: from here on a history counts for more. @param {Talk} talk @returns {Talk} */
export function forgetStream(talk) {
  return talk.touched.length === 0 ? talk : { ...talk, touched: [] };
}

/** @param {Talk} talk @param {Entry} entry @returns {Talk} */
export function putEntry(talk, entry) {
  const others = talk.entries.filter(({ id }) => id !== entry.id);
  const typingUntil = entry.is === "posted" ? 0 : talk.typingUntil;
  return { ...touch(talk, entry.id), typingUntil, entries: sorted([...others, entry]) };
}

/** @param {Talk} talk @param {string} gone @returns {Talk} */
export function dropEntry(talk, gone) {
  return { ...touch(talk, gone), entries: talk.entries.filter(({ id }) => id !== gone) };
}

/**
 * The newest page: what it does not have is gone, unless it is older than the page or the stream told of it.
 * @param {Talk} talk @param {History} history @returns {Talk}
 */
export function takeHistory(talk, history) {
  const touched = new Set(talk.touched);
  const from = history.earlier ? (history.entries[0]?.at ?? 0) : 0;
  const older = talk.entries.filter(({ at }) => at < from);
  // What somebody said never grows, and only a history knows its place in the line.
  const inHistory = new Set(history.entries.map(({ id }) => id));
  const shown = new Set(talk.entries.map(({ id }) => id));
  const told = history.entries.filter(
    ({ id, is }) => !touched.has(id) || (is === "said" && shown.has(id)),
  );
  const live = talk.entries.filter(
    ({ id, at, is }) => touched.has(id) && at >= from && !(is === "said" && inHistory.has(id)),
  );
  const { conversation, work, place } = history;
  return {
    ...talk,
    entries: sorted([...older, ...told.map((entry) => same(talk, entry)), ...live]),
    earlier: older.length > 0 ? talk.earlier : history.earlier,
    conversation,
    work,
    place,
    typingUntil: work ? talk.typingUntil : 0,
    loaded: true,
  };
}

/** An older page. @param {Talk} talk @param {History} history @returns {Talk} */
export function takeEarlier(talk, history) {
  const known = new Set(talk.entries.map(({ id }) => id));
  const more = history.entries.filter(({ id }) => !known.has(id));
  return { ...talk, entries: sorted([...more, ...talk.entries]), earlier: history.earlier };
}

/** An entry that did not change stays the very same object, so that it is not drawn again. @param {Talk} talk @param {Entry} entry */
function same(talk, entry) {
  const known = talk.entries.find(({ id }) => id === entry.id);
  return known && JSON.stringify(known) === JSON.stringify(entry) ? known : entry;
}

/** @param {Talk} talk @param {string} id @returns {Talk} */
function touch(talk, id) {
  return talk.touched.includes(id) ? talk : { ...talk, touched: [...talk.touched, id] };
}

/** @param {readonly Entry[]} entries */
function sorted(entries) {
  return entries.toSorted(
    (a, b) => a.at - b.at || rank(a) - rank(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  );
}

/** Of the same moment: first what was said, then what was posted in its order. @param {Entry} entry */
function rank(entry) {
  return entry.is === "said" ? -1 : Number(entry.id.slice(1)) || 0;
}
