// What the page knows: stream and history in any order, messages on their way, presses.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Entry, History, Posted, Said, WebEvent } from "../../src/core/page.ts";
import type { Action, State } from "../../src/http/page/state.js";
import { firstState, placeOfChat, reduce, talkAt } from "../../src/http/page/state.js";

const chat = "ana";
const place = placeOfChat(chat);

function posted(id: string, at: number, text: string, more: Partial<Posted> = {}): Posted {
  return { is: "posted", id, at, text, format: "markdown", buttons: [], ...more };
}

function said(id: string, at: number): Said {
  return { is: "said", id, at, who: "ana", mine: true, text: "hello", files: [] };
}

function history(entries: readonly Entry[], earlier = false): History {
  return { conversation: null, entries, earlier, work: null, place: null };
}

function after(actions: readonly Action[], state: State = firstState("chat")): State {
  return actions.reduce(reduce, state);
}

const event = (happened: WebEvent): Action => ({ is: "event", event: happened });
const shown = (state: State) => talkAt(state, place).entries;

/** The gateway's side: each change is an event, and a history is a look at what there is at that moment. */
function play(steps: readonly Step[]) {
  const kept = new Map<string, Entry>();
  const told: Action[] = [];
  const looks: { action: Action; due: number }[] = [];
  steps.forEach((step, index) => {
    for (const { action } of looks.filter(({ due }) => due === index)) told.push(action);
    const id = `o${step.id}`;
    if (step.do === "look") {
      const entries = [...kept.values()].toSorted((a, b) => a.at - b.at);
      const action: Action = { is: "history", place, history: history(entries) };
      looks.push({ action, due: Math.min(steps.length, index + step.late) });
    } else if (step.do === "remove") {
      if (kept.delete(id)) told.push(event({ type: "removed", chat, id }));
    } else {
      const entry = posted(id, step.id, `${id} as of ${index}`);
      const type = kept.has(id) ? "edited" : "posted";
      kept.set(id, entry);
      told.push(event({ type, chat, entry }));
    }
  });
  for (const { action } of looks.filter(({ due }) => due === steps.length)) told.push(action);
  return { told, kept: [...kept.values()].toSorted((a, b) => a.at - b.at) };
}

interface Step {
  readonly do: "put" | "remove" | "look";
  readonly id: number;
  readonly late: number;
}

it("shows what the gateway has, however late a history comes among the events", () => {
  const step = fc.record({
    do: fc.constantFrom("put" as const, "put" as const, "remove" as const, "look" as const),
    id: fc.integer({ min: 1, max: 4 }),
    late: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const { told, kept } = play(steps);
      assert.deepEqual(shown(after(told)), kept);
      // A resumed stream may tell again what was told.
      const again = told.flatMap((action): Action[] =>
        action.is === "event" ? [action, action] : [action],
      );
      assert.deepEqual(shown(after(again)), kept);
    }),
  );
});

it("keeps the growing reply when a history has only its beginning", () => {
  const state = after([
    event({ type: "posted", chat, entry: posted("o1", 1, "One") }),
    event({ type: "edited", chat, entry: posted("o1", 1, "One two") }),
    { is: "history", place, history: history([posted("o1", 1, "One")]) },
  ]);
  assert.deepEqual(shown(state), [posted("o1", 1, "One two")]);
});

it("believes the history alone after a gap in the stream", () => {
  const before = after([
    event({ type: "posted", chat, entry: posted("o1", 1, "old") }),
    event({ type: "posted", chat, entry: posted("o2", 2, "removed meanwhile") }),
    event({ type: "reset" }),
  ]);
  const told = history([posted("o1", 1, "new"), posted("o3", 3, "missed")]);
  assert.deepEqual(shown(reduce(before, { is: "history", place, history: told })), told.entries);
});

it("keeps older pages when the newest is fetched again, and knows when there are more", () => {
  const old = [posted("o1", 1, "1"), posted("o2", 2, "2")];
  const recent = [posted("o3", 3, "3"), posted("o4", 4, "4")];
  const state = after([
    { is: "history", place, history: history(recent, true) },
    { is: "earlier", place, history: history(old, false) },
    { is: "history", place, history: history(recent, true) },
  ]);
  assert.deepEqual(shown(state), [...old, ...recent]);
  assert.equal(talkAt(state, place).earlier, false);
});

it("leaves an entry that did not change the same object, so that it is not drawn again", () => {
  const state = after([{ is: "history", place, history: history([posted("o1", 1, "1")]) }]);
  const again = after([{ is: "history", place, history: history([posted("o1", 1, "1")]) }], state);
  assert.equal(shown(again)[0], shown(state)[0]);
});

it("shows a message on its way until the chat has it, by event or by history, and then once", () => {
  const message = {
    id: "abcdefgh",
    chat,
    text: "hello",
    files: [],
    at: 5,
    state: "sending",
  } as const;
  const queued = after([{ is: "queue", message }]);
  assert.equal(queued.outgoing.length, 1);
  const seen: Action[] = [
    event({ type: "said", chat, entry: said("m-abcdefgh", 5) }),
    { is: "history", place, history: history([said("m-abcdefgh", 5)]) },
  ];
  for (const action of seen) {
    const state = reduce(queued, action);
    assert.deepEqual(state.outgoing, []);
    assert.deepEqual(shown(state), [said("m-abcdefgh", 5)]);
  }
  assert.deepEqual(shown(after(seen, queued)), [said("m-abcdefgh", 5)]);
});

it("puts what was said before what was posted in the same moment, and that in its order", () => {
  const state = after([
    event({ type: "posted", chat, entry: posted("o10", 1, "b") }),
    event({ type: "posted", chat, entry: posted("o9", 1, "a") }),
    event({ type: "said", chat, entry: said("m-zzzzzzzz", 1) }),
  ]);
  assert.deepEqual(
    shown(state).map(({ id }) => id),
    ["m-zzzzzzzz", "o9", "o10"],
  );
});

it("gives the answer to a press to its card, and forgets the press when the buttons go", () => {
  const card = posted("o1", 1, "Run?", { buttons: [{ label: "Allow", data: "x" }], question: "q" });
  const pressed = after([
    event({ type: "posted", chat, entry: card }),
    { is: "press", message: "o1", press: { id: "press-01", data: "x", state: "taken" } },
  ]);
  const other = reduce(pressed, event({ type: "notice", press: "press-99", text: "No" }));
  assert.equal(other.presses.o1?.state, "taken");
  const answered = reduce(pressed, event({ type: "notice", press: "press-01", text: "Allowed" }));
  assert.deepEqual(answered.presses.o1, {
    id: "press-01",
    data: "x",
    state: "answered",
    notice: "Allowed",
  });
  const closed = reduce(
    pressed,
    event({ type: "edited", chat, entry: posted("o1", 1, "Allowed") }),
  );
  assert.equal(closed.presses.o1, undefined);
});

it("shows a message's place in the line, which only a history knows, and forgets it when its turn comes", () => {
  const waiting = { ...said("m-abcdefgh", 5), place: 1 };
  const told = event({ type: "said", chat, entry: said("m-abcdefgh", 5) });
  const state = after([told, { is: "history", place, history: history([waiting]) }]);
  assert.deepEqual(shown(state), [waiting]);
  const later: Action = { is: "history", place, history: history([said("m-abcdefgh", 5)]) };
  assert.deepEqual(shown(reduce(state, later)), [said("m-abcdefgh", 5)]);
});

it("leaves the outcome to the card alone once its buttons are gone", () => {
  const card = posted("o1", 1, "Run?", { buttons: [{ label: "Allow", data: "x" }], question: "q" });
  const state = after([
    event({ type: "posted", chat, entry: card }),
    { is: "press", message: "o1", press: { id: "press-01", data: "x", state: "taken" } },
    event({ type: "notice", press: "press-01", text: "Allowed." }),
    event({ type: "edited", chat, entry: posted("o1", 1, "Allow once, local") }),
  ]);
  assert.deepEqual(state.presses, {});
});

it("keeps one chat's events out of another", () => {
  const state = after([
    event({ type: "posted", chat: "ana.other000", entry: posted("o1", 1, "x") }),
  ]);
  assert.deepEqual(shown(state), []);
  assert.equal(talkAt(state, placeOfChat("ana.other000")).entries.length, 1);
});
